package dev.cassidy.migration.texts;

import dev.cassidy.collation.Collation;
import dev.cassidy.definition.ColumnDefinition;
import dev.cassidy.definition.SqlType;
import dev.cassidy.insert.Assignments;
import dev.cassidy.insert.CheckExpression;
import dev.cassidy.insert.Comparisons;
import dev.cassidy.insert.ConditionalWrite;
import dev.cassidy.insert.CqlChange;
import dev.cassidy.insert.CqlInsert;
import dev.cassidy.insert.CqlSelect;
import dev.cassidy.insert.CqlWrite;
import dev.cassidy.insert.CurrentTimes;
import dev.cassidy.insert.IndexedIn;
import dev.cassidy.insert.Like;
import dev.cassidy.insert.NullComparison;
import dev.cassidy.insert.ParameterizedStatement;
import dev.cassidy.insert.StatementShape;
import dev.cassidy.jdbc.error.Redaction;
import dev.cassidy.jdbc.session.ConnectionSettings;
import dev.cassidy.jdbc.value.LikePattern;
import dev.cassidy.migration.plan.Selection;
import dev.cassidy.migration.schema.DefaultExpression;
import dev.cassidy.migration.schema.KeyChoice;
import dev.cassidy.migration.source.SourceTable;
import dev.cassidy.migration.source.SourceUrl;
import dev.cassidy.migration.target.TargetTable;
import dev.cassidy.recorder.KnownNames;
import dev.cassidy.recorder.StatementScanner;
import dev.cassidy.tsql.DefaultTerm;
import dev.cassidy.tsql.TsqlScript;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** All that reads a text of users, applications or servers: first what reads statements, then the others. */
public final class Readers implements Supplier<List<Map<String, Consumer<String>>>> {

    private interface Reader {
        void read(String text) throws Exception;
    }

    private final Map<String, Consumer<String>> ofStatements = new LinkedHashMap<>();
    private final Map<String, Consumer<String>> others = new LinkedHashMap<>();

    private static void add(Map<String, Consumer<String>> readers, String name, Reader reader) {
        readers.put(name, text -> {
            try {
                reader.read(text);
            } catch (RuntimeException | SQLException refused) {
                // It refuses what it cannot read.
            } catch (Exception e) {
                throw new AssertionError(name, e);
            }
        });
    }

    @Override
    public List<Map<String, Consumer<String>>> get() {
        ofStatements();
        others();
        return List.of(ofStatements, others);
    }

    private void ofStatements() {
        add(ofStatements, "CqlInsert", text -> CqlInsert.recognise(text).ifPresent(insert -> {
            insert.columns().forEach(insert::value);
            CurrentTimes.of(insert);
            insert.rewrite("id").withLiteral(1);
        }));
        add(ofStatements, "CqlInsert.tablesOfBatch", CqlInsert::tablesOfBatch);
        add(ofStatements, "CqlWrite", text -> {
            CqlWrite.recognise(text);
            CqlWrite.isConditionalBatch(text);
        });
        add(ofStatements, "CqlChange", CqlChange::of);
        add(ofStatements, "CqlSelect", CqlSelect::of);
        add(ofStatements, "Comparisons", Comparisons::of);
        add(ofStatements, "NullComparison", NullComparison::of);
        add(ofStatements, "Assignments", Assignments::of);
        add(ofStatements, "CurrentTimes", text -> CurrentTimes.of(text));
        add(ofStatements, "ParameterizedStatement", text -> ParameterizedStatement.of(text)
                .certain());
        add(ofStatements, "IndexedIn", text -> {
            IndexedIn.mayBeWhy(text);
            IndexedIn.of(text);
        });
        add(ofStatements, "ConditionalWrite", text -> ConditionalWrite.of(text, Set.of("id"), Set.of("n"), Set.of()));
        add(ofStatements, "CheckExpression", text -> CheckExpression.parse(
                        text,
                        List.of(new ColumnDefinition(
                                "a", "a", SqlType.parse("varchar(9)").orElseThrow(), false, "")))
                .ifPresent(check -> check.isBrokenBy(Map.of("a", "x".repeat(99)))));
        add(ofStatements, "StatementShape", StatementShape::of);
        add(
                ofStatements,
                "StatementShape.withoutValues",
                text -> StatementShape.withoutValues("a message of '1' and 2", text));
        add(ofStatements, "TsqlScript", TsqlScript::parse);
        add(ofStatements, "DefaultTerm", DefaultTerm::read);
        add(ofStatements, "Redaction of a statement", text -> {
            Redaction redaction = new Redaction();
            redaction.addText(text);
            redaction.error(new SQLException("a message of '1', 2 and \"x\": " + "String was: 3)"));
        });
        add(ofStatements, "recorder", text -> StatementScanner.scan(text, new KnownNames(List.of())));
        add(ofStatements, "DefaultExpression", text -> DefaultExpression.of(column(text)));
        add(ofStatements, "QueryStore", any("dev.cassidy.migration.assess.QueryStore", "withMarkers"));
        add(ofStatements, "P6spyLog", any("dev.cassidy.migration.assess.P6spyLog", "prepared"));
    }

    private void others() {
        List<String> names = IntStream.range(0, 1_000).mapToObj(i -> "t" + i).toList();
        add(others, "Like", text -> {
            for (String value : List.of("", "a".repeat(50), "%".repeat(50))) {
                Like.parse(text, Collation.standard()).ifPresent(like -> like.matches(value, false));
            }
            LikePattern.matching(names, text, Function.identity());
        });
        add(others, "SqlType", text -> {
            SqlType.parse(text);
            SqlType.wrongSize(text);
        });
        add(others, "ConnectionSettings", text -> {
            ConnectionSettings.shown("jdbc:cassidy://h/k?user=u&password=p&localDatacenter=" + text);
            ConnectionSettings.parse("jdbc:cassidy://h/k?user=u&password=p&localDatacenter=" + text, new Properties());
        });
        add(
                others,
                "ConnectionSettings of hosts",
                text -> ConnectionSettings.parse("jdbc:cassidy://" + text, new Properties()));
        add(
                others,
                "ConnectionSettings of an old URL",
                text -> ConnectionSettings.parse("jdbc:sqlserver://h;a=" + text, new Properties()));
        add(others, "Redaction of a message", text -> {
            Redaction redaction = new Redaction();
            redaction.addText("SELECT a FROM t WHERE b = 'c'");
            redaction.error(new SQLException(text));
        });
        add(others, "DateTimeText", any("dev.cassidy.jdbc.value.DateTimeText", "read"));
        add(others, "Numbers", any("dev.cassidy.jdbc.value.Numbers", "bigInteger"));
        add(others, "ServerRefusals.invalid", any("dev.cassidy.jdbc.error.ServerRefusals", "invalid"));
        add(others, "ServerRefusals.syntax", any("dev.cassidy.jdbc.error.ServerRefusals", "syntax"));
        add(others, "ConfigText", any("dev.cassidy.jdbc.session.ConfigText", "parse"));
        add(others, "FanOut", any("dev.cassidy.jdbc.session.FanOut", "parse"));
        add(others, "SourceUrl", text -> {
            SourceUrl.redact(text);
            new SourceUrl("jdbc:sqlserver://h;a=" + text);
        });
        add(others, "Password", text -> any("dev.cassidy.migration.Password", "requireNoneIn")
                .read(text));
        add(others, "Selection", text -> {
            Selection.glob(text).test("a".repeat(100));
            Selection.glob("*a*b*c").test(text);
        });
        add(
                others,
                "KeyChoice",
                text -> KeyChoice.parse(
                        text,
                        new SourceTable("s", "t", List.of(column(null)), List.of(), List.of(), List.of()),
                        "--key"));
        add(others, "TargetTable", text -> TargetTable.parse(text, "k", "c", "--map"));
    }

    private static SourceTable.Column column(String defaultExpression) {
        return new SourceTable.Column("c", "int", 0, 10, 0, true, defaultExpression, null, false, false);
    }

    /** Calls a method that is hidden from here, with the text as its first argument. */
    private static Reader any(String type, String name) {
        return text -> {
            Method method = Arrays.stream(Class.forName(type).getDeclaredMethods())
                    .filter(each -> each.getName().equals(name))
                    .findFirst()
                    .orElseThrow();
            method.setAccessible(true);
            Object[] arguments = Arrays.stream(method.getParameterTypes())
                    .map(each -> each == String[].class
                            ? (Object) new String[] {text}
                            : each.isEnum() ? each.getEnumConstants()[0] : each == Throwable.class ? null : text)
                    .toArray();
            try {
                method.invoke(null, arguments);
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
            }
        };
    }
}
