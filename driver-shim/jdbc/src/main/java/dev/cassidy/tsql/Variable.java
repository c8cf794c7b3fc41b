package dev.cassidy.tsql;

import dev.cassidy.definition.SqlType;

/**
 * What a script gives its statements as a parameter, in place of the application.
 *
 * @param name as the script writes it, with {@code @}
 * @param type as it is declared, or as SQL Server has it
 */
public record Variable(String name, SqlType type, Source source) {

    /** Where its value comes from. */
    public enum Source {
        /** NULL at first, and then what the script assigns. */
        SCRIPT,
        /** The count of the statement before: {@code @@ROWCOUNT}. */
        ROW_COUNT,
        /** The connection's last identity: {@code SCOPE_IDENTITY()}, {@code @@IDENTITY}. */
        IDENTITY
    }

    /**
     * A variable in its script.
     *
     * @param parameter its index among the parameters of the script's steps, behind those of the application
     */
    public record Target(int parameter, Variable variable) {}
}
