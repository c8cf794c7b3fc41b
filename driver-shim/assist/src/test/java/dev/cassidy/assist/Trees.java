package dev.cassidy.assist;

import net.sf.jsqlparser.parser.CCJSqlParser;
import net.sf.jsqlparser.parser.ParseException;
import net.sf.jsqlparser.statement.select.Select;

/** Statements of tests as trees. */
public final class Trees {

    private Trees() {}

    public static Select select(String sql) {
        try {
            return (Select)
                    new CCJSqlParser(sql).withSquareBracketQuotation(true).Statement();
        } catch (ParseException e) {
            throw new AssertionError(sql, e);
        }
    }
}
