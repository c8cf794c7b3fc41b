package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.sql.Connection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads SET of a setting of the session. One that decides what a statement means here is kept, one that changes nothing here
 * is left out, and any other is refused with what does the same.
 */
final class SettingParser {

    /** Those that change neither the meaning nor the result of a statement here, whatever their value. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "ansi_defaults",
            "ansi_null_dflt_off",
            "ansi_null_dflt_on",
            "ansi_nulls",
            "ansi_padding",
            "ansi_warnings",
            "arithabort",
            "arithignore",
            "concat_null_yields_null",
            "cursor_close_on_commit",
            "deadlock_priority",
            "forceplan",
            "lock_timeout",
            "numeric_roundabort",
            "query_governor_cost_limit",
            "quoted_identifier",
            "remote_proc_transactions",
            "xact_abort");

    /** Those that are off already, and what to do in place of ON. */
    private static final Map<String, String> OFF = Map.of(
            "fmtonly", "PreparedStatement.getMetaData() describes a result without running the statement",
            "implicit_transactions", "use Connection.setAutoCommit(false), commit() and rollback()",
            "noexec", "prepareStatement reads a statement without running it",
            "parseonly", "prepareStatement reads a statement without running it",
            "showplan_all", "SET SHOWPLAN_TEXT ON shows by which way a statement reaches its rows",
            "showplan_xml", "SET SHOWPLAN_TEXT ON shows by which way a statement reaches its rows");

    /** The names of sys.syslanguages, and their aliases, of the languages that are written most. */
    private static final Map<String, String> LANGUAGES = Map.ofEntries(
            Map.entry("us_english", "mdy"),
            Map.entry("english", "mdy"),
            Map.entry("british", "dmy"),
            Map.entry("british english", "dmy"),
            Map.entry("deutsch", "dmy"),
            Map.entry("german", "dmy"),
            Map.entry("fran\u00e7ais", "dmy"),
            Map.entry("french", "dmy"),
            Map.entry("espa\u00f1ol", "dmy"),
            Map.entry("spanish", "dmy"),
            Map.entry("italiano", "dmy"),
            Map.entry("italian", "dmy"),
            Map.entry("svenska", "ymd"),
            Map.entry("swedish", "ymd"));

    private final Tokens tokens;
    private final List<TsqlStep> steps;
    private final Statements statements;

    SettingParser(Tokens tokens, Statements statements, List<TsqlStep> steps) {
        this.tokens = tokens;
        this.statements = statements;
        this.steps = steps;
    }

    /** Adds the step of the SET at a token, and returns the token after it. */
    int parse(int set) {
        int name = set + 1;
        String setting = tokens.text(name).toLowerCase(Locale.ROOT);
        switch (setting) {
            case "transaction" -> {
                return isolationLevel(set);
            }
            case "statistics" -> {
                return statistics(set);
            }
            case "dateformat" -> {
                steps.add(new TsqlStep.SetDateOrder(dateFormat(value(name))));
                return name + 2;
            }
            case "language" -> {
                steps.add(language(value(name)));
                return name + 2;
            }
            case "datefirst" -> {
                String day = tokens.text(name + 1);
                steps.add(new TsqlStep.SetFirstDay(day.matches("[1-7]") ? Integer.parseInt(day) : 0));
                return afterValue(name);
            }
            case "rowcount" -> {
                require(name, value(name).equals("0"), "use SELECT TOP n, or Statement.setMaxRows");
            }
            case "showplan_text" -> {
                require(name, tokens.isAnyWord(name + 1, "on", "off"), "say ON or OFF");
                steps.add(new TsqlStep.ShowPlans(tokens.isWord(name + 1, "on")));
                return name + 2;
            }
            case "textsize" -> {
                require(
                        name,
                        Set.of("0", "2147483647", "-").contains(value(name)),
                        "a text is returned whole; cut it off in the application");
            }
            default -> {
                return switched(set);
            }
        }
        return ignored(set, afterValue(name));
    }

    /** {@code SET a, b ON}. */
    private int switched(int set) {
        int name = set + 1;
        while (tokens.isSymbol(name + 1, ',') && tokens.kind(name + 2) == Kind.WORD) {
            name += 2;
        }
        for (int each = set + 1; each <= name; each += 2) {
            String setting = tokens.text(each).toLowerCase(Locale.ROOT);
            String instead = OFF.get(setting);
            if (instead != null) {
                require(each, tokens.isWord(name + 1, "off"), instead);
            } else if (!WITHOUT_EFFECT.contains(setting)) {
                throw new UnsupportedSqlException("SET " + tokens.text(each), "leave it out");
            }
        }
        return ignored(set, afterValue(name));
    }

    /** {@code SET STATISTICS IO, TIME ON} only sends messages; the others show result sets of their own. */
    private int statistics(int set) {
        int kind = set + 2;
        while (tokens.isSymbol(kind + 1, ',')) {
            kind += 2;
        }
        for (int each = set + 2; each <= kind; each += 2) {
            boolean messages = tokens.isAnyWord(each, "io", "time");
            if (!messages && !tokens.isWord(kind + 1, "off")) {
                throw new UnsupportedSqlException(
                        "SET STATISTICS " + tokens.text(each),
                        "leave it out; SET SHOWPLAN_TEXT ON shows by which way a statement reaches its rows");
            }
        }
        return ignored(set, afterValue(kind));
    }

    private static String dateFormat(String given) {
        String order = given.toLowerCase(Locale.ROOT);
        if (!Set.of("mdy", "dmy", "ymd").contains(order)) {
            throw new UnsupportedSqlException(
                    "SET DATEFORMAT " + given,
                    "say mdy, dmy or ymd; or write dates as '20240131', which every order reads");
        }
        return order;
    }

    private static TsqlStep language(String given) {
        String name = given.toLowerCase(Locale.ROOT);
        String order = LANGUAGES.get(name);
        if (order == null) {
            throw new UnsupportedSqlException(
                    "SET LANGUAGE " + given,
                    "here it only says in which order dates are read: SET DATEFORMAT dmy, mdy or ymd says so");
        }
        // Of these, a week begins on Sunday in us_english alone.
        return new TsqlStep.SetLanguage(name, order, order.equals("mdy") ? 7 : 1);
    }

    /** Returns the value of a setting without its quotes; {@code -} for a number with a sign. */
    private String value(int name) {
        int value = name + 1;
        if (tokens.kind(value) == Kind.VARIABLE || tokens.isEnd(value)) {
            throw new UnsupportedSqlException(
                    "SET " + tokens.text(name) + " without a value", "write the value behind it");
        }
        boolean text = tokens.kind(value) == Kind.STRING
                || tokens.kind(value) == Kind.NATIONAL
                || tokens.kind(value).isName();
        return text ? tokens.content(value) : tokens.text(value);
    }

    private void require(int name, boolean served, String instead) {
        if (!served) {
            throw new UnsupportedSqlException(
                    "SET " + tokens.text(name).toUpperCase(Locale.ROOT) + " " + tokens.text(name + 1), instead);
        }
    }

    /** Returns the token after a value, which may have a sign: {@code SET LOCK_TIMEOUT -1}. */
    private int afterValue(int name) {
        return statements.end(name, name + (tokens.isSymbol(name + 1, '-') ? 3 : 2));
    }

    private int ignored(int set, int end) {
        steps.add(new TsqlStep.Ignored(tokens.text.substring(tokens.start(set), tokens.end(end - 1))));
        return end;
    }

    /** Reads {@code SET TRANSACTION ISOLATION LEVEL} and one or two words. */
    private int isolationLevel(int set) {
        if (!tokens.isWord(set + 2, "isolation") || !tokens.isWord(set + 3, "level")) {
            throw new UnsupportedSqlException("SET TRANSACTION", "use Connection.setTransactionIsolation");
        }
        boolean two = tokens.isAnyWord(set + 4, "read", "repeatable");
        String name = (tokens.text(set + 4) + (two ? " " + tokens.text(set + 5) : "")).toUpperCase(Locale.ROOT);
        int level =
                switch (name) {
                    case "READ UNCOMMITTED" -> Connection.TRANSACTION_READ_UNCOMMITTED;
                    case "READ COMMITTED" -> Connection.TRANSACTION_READ_COMMITTED;
                    case "REPEATABLE READ" -> Connection.TRANSACTION_REPEATABLE_READ;
                    case "SERIALIZABLE" -> Connection.TRANSACTION_SERIALIZABLE;
                    default ->
                        throw new UnsupportedSqlException(
                                "SET TRANSACTION ISOLATION LEVEL " + name,
                                "no version of a row is kept for a transaction: REPEATABLE READ sees to it that what was read"
                                        + " is the same at the commit");
                };
        int end = statements.end(set, set + (two ? 6 : 5));
        steps.add(new TsqlStep.SetIsolation(
                level, tokens.text.substring(tokens.start(set), tokens.end(set + (two ? 5 : 4)))));
        return end;
    }
}
