package dev.cassidy.functions;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeParameterTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Writes CQL from the sources of classes marked with {@link CqlAggregate} or {@link CqlFunction}: the bodies are copied
 * character by character.
 */
final class ScriptGenerator {

    private static final Map<String, String> CQL_TYPES = Map.ofEntries(
            Map.entry("Integer", "int"),
            Map.entry("Long", "bigint"),
            Map.entry("BigInteger", "varint"),
            Map.entry("BigDecimal", "decimal"),
            Map.entry("Double", "double"),
            Map.entry("Boolean", "boolean"),
            Map.entry("String", "text"));

    private static final Pattern COLLECTION = Pattern.compile("(List|Map)<(\\w+)(?:, (\\w+))?>");

    private static final String HEAD = """
            -- Cassidy's CRDT aggregates as user-defined functions, for any keyspace:
            --   cqlsh -k KEYSPACE -f crdt-functions.cql
            -- Generated from the Java sources of dev.cassidy.functions, where it is changed; see docs/counters.md.
            """;

    private static final String DROP_HEAD = """
            -- Removes what crdt-functions.cql creates:
            --   cqlsh -k KEYSPACE -f crdt-functions-drop.cql
            -- Generated together with it. What one of your own functions or tables uses is refused and stays.

            """;

    private ScriptGenerator() {}

    /** Returns the script for all functions of a source folder, ordered by file name. */
    static String generate(Path sources) {
        return HEAD + read(sources).map(Pack::create).collect(Collectors.joining());
    }

    /** Returns the script that removes them, in the opposite order. */
    static String generateDrop(Path sources) {
        List<String> drops = read(sources).flatMap(Pack::drops).collect(Collectors.toList());
        Collections.reverse(drops);
        return DROP_HEAD + String.join("", drops);
    }

    private static Stream<Pack> read(Path sources) {
        try (Stream<Path> files = Files.list(sources)) {
            List<Path> sorted = files.filter(file -> file.toString().endsWith(".java"))
                    .sorted()
                    .toList();
            return sorted.stream().flatMap(file -> packs(file).stream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Pack> packs(Path file) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(file));
            List<Pack> packs = new ArrayList<>();
            for (CompilationUnitTree unit : task.parse()) {
                Source source = new Source(
                        unit, Files.readString(file), Trees.instance(task).getSourcePositions());
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree candidate) {
                        annotation(candidate, "CqlAggregate")
                                .map(of -> Pack.ofAggregate(candidate, of, source))
                                .ifPresent(packs::add);
                        annotation(candidate, "CqlFunction")
                                .map(of -> Pack.ofFunction(candidate, of, source))
                                .ifPresent(packs::add);
                    }
                }
            }
            return packs;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Source(CompilationUnitTree unit, String text, SourcePositions positions) {

        /** What stands between the braces of a method's body. */
        String body(MethodTree method) {
            int start = Math.toIntExact(positions.getStartPosition(unit, method.getBody()));
            int end = Math.toIntExact(positions.getEndPosition(unit, method.getBody()));
            String body = text.substring(start + 1, end - 1)
                    .replaceFirst("^\\R", "")
                    .stripTrailing()
                    .stripIndent();
            if (body.contains("$$")) {
                throw new IllegalArgumentException("must not contain $$, which ends a body in CQL: " + method);
            }
            return body;
        }
    }

    /** What one class becomes in CQL. */
    private record Pack(List<Function> functions, List<Aggregate> aggregates) {

        static Pack ofFunction(ClassTree type, AnnotationTree of, Source source) {
            List<MethodTree> methods = methods(type);
            if (methods.size() != 1) {
                throw new IllegalArgumentException("must hold one method: " + type.getSimpleName() + " has " + methods);
            }
            return new Pack(overloads(methods.get(0), string(of, "name"), List.of(), source), List.of());
        }

        static Pack ofAggregate(ClassTree type, AnnotationTree of, Source source) {
            String name = string(of, "name");
            List<Function> functions = methods(type).stream()
                    .flatMap(method ->
                            overloads(method, name + "_" + method.getName(), strings(of, "tuple"), source).stream())
                    .toList();
            Predicate<Function> isFinal = function -> function.parameters().size() == 1;
            List<Aggregate> aggregates = functions.stream()
                    .filter(isFinal.negate())
                    .map(step -> new Aggregate(
                            name,
                            step,
                            functions.stream()
                                    .filter(isFinal)
                                    .filter(last -> last.state().equals(step.state()))
                                    .findAny()))
                    .toList();
            return new Pack(functions, aggregates);
        }

        String create() {
            return Stream.concat(
                            functions.stream().map(Function::create),
                            aggregates.stream().map(Aggregate::create))
                    .collect(Collectors.joining());
        }

        Stream<String> drops() {
            return Stream.concat(
                    functions.stream().map(Function::drop), aggregates.stream().map(Aggregate::drop));
        }
    }

    private record Parameter(String name, String type) {}

    private record Function(String name, List<Parameter> parameters, String returns, String body) {

        String state() {
            return parameters.get(0).type();
        }

        String create() {
            return """

                    CREATE OR REPLACE FUNCTION %s(%s)
                        CALLED ON NULL INPUT
                        RETURNS %s
                        LANGUAGE java
                        AS $$
                    %s    $$;
                    """.formatted(
                            name,
                            parameters.stream()
                                    .map(parameter -> parameter.name() + " " + parameter.type())
                                    .collect(Collectors.joining(", ")),
                            returns,
                            body.indent(8).replaceAll("(?m)^ +$", ""));
        }

        String drop() {
            return "DROP FUNCTION IF EXISTS " + name + types(parameters) + ";\n";
        }
    }

    private record Aggregate(String name, Function step, Optional<Function> last) {

        List<Parameter> arguments() {
            return step.parameters().subList(1, step.parameters().size());
        }

        String create() {
            return """

                    CREATE OR REPLACE AGGREGATE %s%s
                        SFUNC %s
                        STYPE %s%s
                        INITCOND %s;
                    """.formatted(
                    name,
                    types(arguments()),
                    step.name(),
                    step.state(),
                    last.map(function -> "\n    FINALFUNC " + function.name()).orElse(""),
                    nothing(step.state()));
        }

        String drop() {
            return "DROP AGGREGATE IF EXISTS " + name + types(arguments()) + ";\n";
        }
    }

    private static String types(List<Parameter> parameters) {
        return parameters.stream().map(Parameter::type).collect(Collectors.joining(", ", "(", ")"));
    }

    /** The state of nothing: {@link CqlAggregate} promises it to the bodies. */
    private static String nothing(String state) {
        if (state.startsWith("map<")) {
            return "{}";
        }
        if (state.startsWith("list<")) {
            return "[]";
        }
        if (state.startsWith("tuple<")) {
            return state.replaceAll("^tuple<|>$", "")
                    .replaceAll("[^,]+", "null")
                    .replace(",", ", ")
                    .transform(nulls -> "(" + nulls + ")");
        }
        return "0";
    }

    /** Returns one function for each combination of the types for which the method's type parameters stand. */
    private static List<Function> overloads(MethodTree method, String name, List<String> tuple, Source source) {
        List<Map<String, String>> choices = List.of(Map.of());
        for (TypeParameterTree variable : method.getTypeParameters()) {
            List<String> types = strings(
                    variable.getAnnotations().stream()
                            .findAny()
                            .orElseThrow(() -> new IllegalArgumentException(
                                    "needs @OneOf: type parameter " + variable.getName() + " of " + name)),
                    "value");
            choices = choices.stream()
                    .flatMap(choice -> types.stream().map(type -> {
                        Map<String, String> more = new HashMap<>(choice);
                        more.put(variable.getName().toString(), type);
                        return more;
                    }))
                    .toList();
        }
        String body = source.body(method);
        return choices.stream()
                .map(choice -> new Function(
                        name,
                        method.getParameters().stream()
                                .map(parameter -> new Parameter(
                                        parameter.getName().toString(), cqlType(parameter, choice, tuple)))
                                .toList(),
                        cqlType(method.getReturnType().toString(), choice, tuple),
                        body))
                .toList();
    }

    private static List<MethodTree> methods(ClassTree type) {
        return type.getMembers().stream()
                .filter(member -> !(member instanceof MethodTree method && method.getReturnType() == null))
                .map(member -> copied(type, member))
                .toList();
    }

    private static MethodTree copied(ClassTree type, Tree member) {
        if (member instanceof MethodTree method
                && method.getModifiers().getFlags().contains(Modifier.STATIC)
                && method.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
            return method;
        }
        throw new IllegalArgumentException(
                "must hold public static methods alone, because Cassandra sees one at a time: " + type.getSimpleName()
                        + " has " + member);
    }

    private static Optional<? extends AnnotationTree> annotation(ClassTree type, String name) {
        return type.getModifiers().getAnnotations().stream()
                .filter(annotation -> annotation.getAnnotationType().toString().equals(name))
                .findAny();
    }

    private static String string(AnnotationTree annotation, String element) {
        return strings(annotation, element).get(0);
    }

    private static List<String> strings(AnnotationTree annotation, String element) {
        for (ExpressionTree argument : annotation.getArguments()) {
            boolean isNamed = argument instanceof AssignmentTree;
            String name = isNamed ? ((AssignmentTree) argument).getVariable().toString() : "value";
            if (name.equals(element)) {
                Tree value = isNamed ? ((AssignmentTree) argument).getExpression() : argument;
                List<? extends Tree> values =
                        value instanceof NewArrayTree array ? array.getInitializers() : List.of(value);
                return values.stream()
                        .map(literal -> (String) ((LiteralTree) literal).getValue())
                        .toList();
            }
        }
        return List.of();
    }

    private static String cqlType(VariableTree parameter, Map<String, String> choice, List<String> tuple) {
        return cqlType(parameter.getType().toString(), choice, tuple);
    }

    private static String cqlType(String javaType, Map<String, String> choice, List<String> tuple) {
        if (choice.containsKey(javaType)) {
            return choice.get(javaType);
        }
        if (javaType.equals("Tuple") && !tuple.isEmpty()) {
            return "tuple<" + String.join(", ", tuple) + ">";
        }
        Matcher collection = COLLECTION.matcher(javaType);
        if (collection.matches()) {
            return Stream.of(collection.group(2), collection.group(3))
                    .filter(element -> element != null)
                    .map(element -> cqlType(element, choice, tuple))
                    .collect(Collectors.joining(", ", collection.group(1).toLowerCase() + "<", ">"));
        }
        String cql = CQL_TYPES.get(javaType);
        if (cql == null) {
            throw new IllegalArgumentException("must be one of " + CQL_TYPES.keySet()
                    + ", a list or map of them, a type parameter with @OneOf, or Tuple in a class that names its"
                    + " components: type=" + javaType);
        }
        return cql;
    }
}
