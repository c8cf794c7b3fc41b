package dev.cassidy.reliability.statements;

import dev.cassidy.embedded.EmbeddedCassandra;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Cassandra's own CQL parser, from the server's own jars. It is loaded separately, because the server's libraries have
 * other versions than the driver's. Safe for use by many threads.
 */
final class CassandraParser {

    private static final Pattern ARITHMETIC = Pattern.compile("_(add|substract|multiply|divide|modulo|negate)\\b");
    private static final Pattern DELETION_OF_ONE_COLUMN =
            Pattern.compile("^DeleteStatement\\$Parsed\\{\\[Operation\\$ColumnDeletion\\{(.*?);};];", Pattern.DOTALL);
    private static final Pattern LIST_OF_ONE_COLUMN =
            Pattern.compile("WithArrayLiteral\\$Raw\\{\\[Selectable\\$RawIdentifier\\{[^;]*;false;};]");

    private final ClassLoader server;
    private final Class<?> syntaxError;
    private final Class<?> insert;
    private final Class<?> json;
    private final Class<?> write;
    private final Class<?> batch;
    private final Class<?> use;
    private final Method parseAny;
    private final Object query;
    private final Field qualifiedName;
    private final Method keyspace;
    private final Method table;
    private final Field columns;
    private final Field values;
    private final Field attributes;
    private final Field timestamp;
    private final Field conditions;
    private final Field ifNotExists;
    private final Field ifExists;
    private final Field batched;
    private final Field bindVariables;
    private final Field variableNames;
    private final Class<?> truncate;
    private final Method typeName;
    private final Class<?> type;
    private final Field functionKeyspace;
    private final Field functionName;
    private final Words words;

    CassandraParser() {
        server = new URLClassLoader(
                EmbeddedCassandra.serverClasspath().stream()
                        .map(CassandraParser::url)
                        .toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader());
        try {
            load("config.DatabaseDescriptor").getMethod("clientInitialization").invoke(null);
            syntaxError = load("exceptions.RequestValidationException");
            insert = load("cql3.statements.UpdateStatement$ParsedInsert");
            json = load("cql3.statements.UpdateStatement$ParsedInsertJson");
            write = load("cql3.statements.ModificationStatement$Parsed");
            batch = load("cql3.statements.BatchStatement$Parsed");
            use = load("cql3.statements.UseStatement");
            Class<?> function = load("cql3.CQLFragmentParser$CQLParserFunction");
            parseAny = load("cql3.CQLFragmentParser").getMethod("parseAny", function, String.class, String.class);
            Method rule = load("cql3.CqlParser").getMethod("query");
            query = Proxy.newProxyInstance(
                    server, new Class<?>[] {function}, (proxy, method, arguments) -> unwrapped(rule, arguments[0]));
            qualifiedName = field("cql3.statements.QualifiedStatement", "qualifiedName");
            keyspace = qualifiedName.getType().getMethod("getKeyspace");
            table = qualifiedName.getType().getMethod("getName");
            columns = field("cql3.statements.UpdateStatement$ParsedInsert", "columnNames");
            values = field("cql3.statements.UpdateStatement$ParsedInsert", "columnValues");
            attributes = field("cql3.statements.ModificationStatement$Parsed", "attrs");
            timestamp = field("cql3.Attributes$Raw", "timestamp");
            conditions = field("cql3.statements.ModificationStatement$Parsed", "conditions");
            ifNotExists = field("cql3.statements.ModificationStatement$Parsed", "ifNotExists");
            ifExists = field("cql3.statements.ModificationStatement$Parsed", "ifExists");
            batched = field("cql3.statements.BatchStatement$Parsed", "parsedStatements");
            bindVariables = field("cql3.CQLStatement$Raw", "bindVariables");
            variableNames = field("cql3.VariableSpecifications", "variableNames");
            truncate = load("cql3.statements.TruncateStatement");
            type = load("cql3.UTName");
            typeName = type.getMethod("getStringTypeName");
            functionKeyspace = field("cql3.functions.FunctionName", "keyspace");
            functionName = field("cql3.functions.FunctionName", "name");
            words = new Words();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cassandra's parser is not what it was; see CassandraParser", e);
        }
    }

    private Class<?> load(String name) throws ClassNotFoundException {
        return server.loadClass("org.apache.cassandra." + name);
    }

    private Field field(String type, String name) throws ReflectiveOperationException {
        Field field = load(type).getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static Object unwrapped(Method method, Object target) throws Throwable {
        try {
            return method.invoke(target);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Returns how Cassandra parses the text; empty if it is a syntax error. */
    Optional<Parsed> parse(String text) {
        try {
            return Optional.of(new Parsed(parseAny.invoke(null, query, text, "")));
        } catch (InvocationTargetException e) {
            if (syntaxError.isInstance(e.getCause())) {
                return Optional.empty();
            }
            throw new IllegalStateException("Cassandra's parser, given " + text, e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns how Cassandra cuts the text into words; empty if it cannot. */
    Optional<List<Word>> words(String text) {
        try {
            return words.of(text);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cassandra's lexer, given " + text, e);
        }
    }

    /**
     * A word as Cassandra's lexer cuts it.
     *
     * @param end exclusive
     * @param rule the lexer's rule, such as IDENT, K_UPDATE or DURATION
     */
    record Word(int start, int end, String rule) {}

    /** Cassandra's lexer. */
    private final class Words {
        private final Constructor<?> lexer;
        private final Constructor<?> stream;
        private final Method addListener;
        private final Class<?> listener;
        private final Method next;
        private final Class<?> token;
        private final Map<Integer, String> rules = new HashMap<>();

        private Words() throws ReflectiveOperationException {
            Class<?> type = load("cql3.CqlLexer");
            Class<?> chars = server.loadClass("org.antlr.runtime.CharStream");
            stream = server.loadClass("org.antlr.runtime.ANTLRStringStream").getConstructor(String.class);
            lexer = type.getConstructor(chars);
            listener = load("cql3.ErrorListener");
            addListener = type.getMethod("addErrorListener", listener);
            next = type.getMethod("nextToken");
            token = server.loadClass("org.antlr.runtime.CommonToken");
            for (Field field : load("cql3.CqlParser").getDeclaredFields()) {
                if (field.getType() == int.class && Modifier.isStatic(field.getModifiers())) {
                    rules.put(field.getInt(null), field.getName());
                }
            }
        }

        private Optional<List<Word>> of(String text) throws ReflectiveOperationException {
            AtomicBoolean wrong = new AtomicBoolean();
            Object reader = lexer.newInstance(stream.newInstance(text));
            addListener.invoke(
                    reader, Proxy.newProxyInstance(server, new Class<?>[] {listener}, (proxy, method, arguments) -> {
                        wrong.set(true);
                        return null;
                    }));
            List<Word> found = new ArrayList<>();
            while (true) {
                Object each = next.invoke(reader);
                int type = (int) token.getMethod("getType").invoke(each);
                if (type == -1) {
                    return wrong.get() ? Optional.empty() : Optional.of(found);
                }
                if ((int) token.getMethod("getChannel").invoke(each) == 0) {
                    int start = (int) token.getMethod("getStartIndex").invoke(each);
                    int stop = (int) token.getMethod("getStopIndex").invoke(each);
                    found.add(new Word(start, stop + 1, rules.get(type)));
                }
            }
        }
    }

    private static Object get(Field field, Object of) {
        try {
            return field.get(of);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fields in which schema statements keep the name of what they change, the most specific first. */
    private static final List<String> NAMED = List.of("viewName", "tableName", "aggregateName", "name", "keyspaceName");

    private static Object named(Object raw) {
        for (String name : NAMED) {
            for (Field field : raw.getClass().getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return get(field, raw);
                }
            }
        }
        throw new IllegalStateException("names nothing: " + raw.getClass());
    }

    /** A statement as Cassandra understands it. */
    final class Parsed {

        private final Object raw;

        private Parsed(Object raw) {
            this.raw = raw;
        }

        boolean isInsert() {
            return insert.isInstance(raw) || isJson();
        }

        boolean isJson() {
            return json.isInstance(raw);
        }

        /** Returns whether it is one INSERT, UPDATE or DELETE. */
        boolean isWrite() {
            return write.isInstance(raw);
        }

        /** Returns whether an insert has one value for each column, which Cassandra checks only after parsing. */
        boolean isComplete() {
            return !insert.isInstance(raw)
                    || ((List<?>) get(columns, raw)).size() == ((List<?>) get(values, raw)).size();
        }

        /** Returns whether it reads or writes fields of user-defined types, written as {@code column.field}. */
        boolean hasFields() {
            String tree = tree();
            return tree.contains("SetField") || tree.contains("FieldSelection") || tree.contains("FieldDeletion");
        }

        /** Returns whether it calculates: then the driver does so, or refuses it. */
        boolean hasArithmetic() {
            return ARITHMETIC.matcher(tree()).find();
        }

        /** Returns whether it selects a list that contains only one column's value, written as {@code [column]}. */
        boolean hasListOfOneColumn() {
            return LIST_OF_ONE_COLUMN.matcher(tree()).find();
        }

        /** Returns whether it deletes the one column that has its table's name, written as {@code DELETE t FROM t}. */
        boolean deletesColumnOfTablesName() {
            Matcher deletion = DELETION_OF_ONE_COLUMN.matcher(tree());
            return deletion.find() && deletion.group(1).equalsIgnoreCase(table());
        }

        boolean isBatch() {
            return batch.isInstance(raw);
        }

        boolean isUse() {
            return use.isInstance(raw);
        }

        /** Returns the statements of a batch. */
        List<Parsed> batched() {
            return ((List<?>) get(batched, raw)).stream().map(Parsed::new).toList();
        }

        /**
         * Returns the keyspace (or null) and the name (or null) of each thing that is changed; empty if nothing is
         * changed.
         */
        List<List<String>> changed() {
            if (isBatch()) {
                return batched().stream()
                        .flatMap(statement -> statement.changed().stream())
                        .toList();
            }
            if (isWrite() || truncate.isInstance(raw)) {
                return List.of(Arrays.asList(keyspace(), table()));
            }
            boolean ofTheSchema = raw.getClass().getName().contains(".cql3.statements.schema.");
            return ofTheSchema ? List.of(changed(named(raw))) : List.of();
        }

        private List<String> changed(Object name) {
            try {
                if (name instanceof String wholeKeyspace) {
                    return Arrays.asList(wholeKeyspace, null);
                }
                if (type.isInstance(name)) {
                    return Arrays.asList(
                            (String) type.getMethod("getKeyspace").invoke(name), (String) typeName.invoke(name));
                }
                if (functionName.getDeclaringClass().isInstance(name)) {
                    return Arrays.asList((String) get(functionKeyspace, name), (String) get(functionName, name));
                }
                return Arrays.asList((String) keyspace.invoke(name), (String) table.invoke(name));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Returns the keyspace of a write; null if it names none. */
        String keyspace() {
            return name(keyspace);
        }

        String table() {
            return name(table);
        }

        private String name(Method part) {
            try {
                return (String) part.invoke(get(qualifiedName, raw));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        List<String> columns() {
            return isJson()
                    ? List.of()
                    : ((List<?>) get(columns, raw))
                            .stream().map(Object::toString).toList();
        }

        /**
         * Returns an insert's values. Markers after {@code addedMarker} have the indexes that they would have without
         * it.
         */
        List<String> values(int addedMarker) {
            return ((List<?>) get(values, raw))
                    .stream().map(value -> Tree.without(value, addedMarker)).toList();
        }

        /** Returns TTL and timestamp. */
        String attributes(int addedMarker) {
            return Tree.without(get(attributes, raw), addedMarker);
        }

        boolean isTimestamped() {
            return get(timestamp, get(attributes, raw)) != null;
        }

        String timestamp() {
            return Tree.of(get(timestamp, get(attributes, raw)));
        }

        boolean isIfNotExists() {
            return (Boolean) get(ifNotExists, raw);
        }

        boolean isConditional() {
            return isIfNotExists() || (Boolean) get(ifExists, raw) || !((List<?>) get(conditions, raw)).isEmpty();
        }

        /** Returns the markers in their order: their names, and null for each {@code ?}. */
        List<String> markers() {
            return ((List<?>) get(variableNames, get(bindVariables, raw)))
                    .stream().map(name -> name == null ? null : name.toString()).toList();
        }

        /** Returns the whole statement as a tree. */
        String tree() {
            return Tree.of(raw);
        }

        /**
         * Returns the tree that the statement would have without its timestamp, whose marker, if any, has the index
         * {@code marker}.
         */
        String treeWithoutTimestamp(int marker) {
            Object of = get(attributes, raw);
            try {
                timestamp.set(of, null);
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
            return Tree.without(raw, marker);
        }
    }
}
