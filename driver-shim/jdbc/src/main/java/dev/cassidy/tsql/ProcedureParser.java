package dev.cassidy.tsql;

import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.Kind;
import dev.cassidy.insert.TableName;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the procedures of SQL Server that describe a table: {@code [EXEC] sp_help 't'}, {@code sp_columns 't'}. */
final class ProcedureParser extends TokenReader {

    private static final List<String> PARAMETERS_OF_COLUMNS =
            List.of("table_name", "table_owner", "table_qualifier", "column_name", "odbcver");
    private static final List<String> PARAMETERS_OF_HELP = List.of("objname");

    private final Schema schema;
    private final int limit;

    /** @param limit where the statement ends at the latest */
    ProcedureParser(Tokens tokens, Schema schema, int token, int limit) {
        super(tokens, token);
        this.schema = schema;
        this.limit = limit;
    }

    /** Returns whether a call begins at a token, with EXEC or, as the first statement of a script, without. */
    static boolean isCall(Tokens tokens, int token) {
        return name(tokens, tokens.isAnyWord(token, "exec", "execute") ? token + 1 : token) >= 0;
    }

    /** Returns the token of the procedure's name: {@code sp_help}, {@code sys.sp_help}, {@code db..sp_help}; -1 if it is none. */
    private static int name(Tokens tokens, int token) {
        int last = TableName.read(tokens, token).end() - 1;
        boolean known = last >= token
                && (tokens.content(last).equalsIgnoreCase("sp_help")
                        || tokens.content(last).equalsIgnoreCase("sp_columns"));
        return known ? last : -1;
    }

    /** Reads the call and adds its steps; returns the token after it. */
    int parse(List<TsqlStep> steps) {
        token += tokens.isAnyWord(token, "exec", "execute") ? 1 : 0;
        int name = name(tokens, token);
        boolean help = tokens.content(name).equalsIgnoreCase("sp_help");
        token = name + 1;
        Map<String, String> arguments = arguments(help ? PARAMETERS_OF_HELP : PARAMETERS_OF_COLUMNS);
        String table = arguments.get(help ? "objname" : "table_name");
        if (table == null) {
            throw new UnsupportedSqlException(
                    tokens.content(name) + " without a table", "name one: " + tokens.content(name) + " 't'");
        }
        if (help) {
            Tokens content = new Tokens(RegularNames.bracketed(table));
            if (!content.kind(0).isName()
                    || !content.isEnd(TableName.read(content, 0).end())) {
                throw new UnsupportedSqlException("sp_help '" + table + "'", "name one table");
            }
            CqlInsert.Table named = SelectList.exact(TableName.internal(content, 0), schema);
            for (TsqlStep.TableHelp.Part part : TsqlStep.TableHelp.Part.values()) {
                steps.add(new TsqlStep.TableHelp(named, part));
            }
        } else {
            steps.add(new TsqlStep.TableColumns(table, arguments.get("table_owner"), arguments.get("column_name")));
        }
        return token;
    }

    /** By position or by name; those that are NULL are left out. */
    private Map<String, String> arguments(List<String> parameters) {
        Map<String, String> arguments = new HashMap<>();
        List<String> unnamed = new ArrayList<>(parameters);
        if (token >= limit || tokens.isEnd(token) || tokens.isSymbol(token, ';')) {
            return arguments;
        }
        do {
            String parameter;
            if (tokens.kind(token) == Kind.VARIABLE && tokens.isSymbol(token + 1, '=')) {
                parameter = tokens.text(token).substring(1).toLowerCase(Locale.ROOT);
                token += 2;
            } else {
                parameter = unnamed.isEmpty() ? "" : unnamed.get(0);
            }
            if (!parameters.contains(parameter)) {
                throw new UnsupportedSqlException(
                        "'" + tokens.text(token) + "' as an argument", "give " + String.join(", ", parameters));
            }
            unnamed.remove(parameter);
            String value = value();
            if (value != null) {
                arguments.put(parameter, value);
            }
        } while (symbol(','));
        return arguments;
    }

    private @Nullable String value() {
        if (word("null")) {
            return null;
        }
        Kind kind = tokens.kind(token);
        if (!kind.isName() && kind != Kind.STRING && kind != Kind.NATIONAL && kind != Kind.NUMBER) {
            throw new UnsupportedSqlException("'" + tokens.text(token) + "' as an argument", "give a literal");
        }
        return tokens.content(token++);
    }
}
