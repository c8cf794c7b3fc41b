package dev.cassidy.functions;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Writes CQL from the sources of classes annotated with {@link CqlAggregate}. Bodies are copied character by character.
 */
final class ScriptGenerator {

    private static final Map<String, String> CQL_TYPES =
            Map.of("Integer", "int", "Long", "bigint", "BigInteger", "varint");

    private static final String HEAD = """
            -- Cassidy's CRDT aggregates as user-defined functions, for any keyspace:
            --   cqlsh -k KEYSPACE -f crdt-functions.cql
            -- Generated from the Java sources of dev.cassidy.functions, where it is changed; see docs/counters.md.
            """;

    private ScriptGenerator() {}

    /** Returns the script for all aggregates of a source folder, ordered by file name. */
    static String generate(Path sources) {
        try (Stream<Path> files = Files.list(sources)) {
            return HEAD
                    + files.filter(file -> file.toString().endsWith(".java"))
                            .sorted()
                            .map(ScriptGenerator::aggregates)
                            .collect(Collectors.joining());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String aggregates(Path file) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask)
                    compiler.getTask(null, files, null, List.of("-proc:none"), null, files.getJavaFileObjects(file));
            StringBuilder cql = new StringBuilder();
            for (CompilationUnitTree unit : task.parse()) {
                Source source = new Source(
                        unit, Files.readString(file), Trees.instance(task).getSourcePositions());
                for (Tree type : unit.getTypeDecls()) {
                    if (type instanceof ClassTree candidate && isAggregate(candidate)) {
                        cql.append(aggregate(candidate, source));
                    }
                }
            }
            return cql.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Source(CompilationUnitTree unit, String text, SourcePositions positions) {

        /** Returns the text between the braces of a method's body. */
        String body(MethodTree method) {
            int start = Math.toIntExact(positions.getStartPosition(unit, method.getBody()));
            int end = Math.toIntExact(positions.getEndPosition(unit, method.getBody()));
            return text.substring(start + 1, end - 1)
                    .replaceFirst("^\\R", "")
                    .stripTrailing()
                    .stripIndent();
        }
    }

    private static boolean isAggregate(ClassTree type) {
        return type.getModifiers().getAnnotations().stream()
                .anyMatch(
                        annotation -> annotation.getAnnotationType().toString().equals("CqlAggregate"));
    }

    private static String aggregate(ClassTree type, Source source) {
        String aggregate = annotated(type, "name");
        String initialState = annotated(type, "initialState");
        List<MethodTree> overloads = type.getMembers().stream()
                .filter(member -> !isConstructor(member))
                .map(member -> stateFunction(type, member))
                .toList();
        StringBuilder cql = new StringBuilder();
        for (MethodTree method : overloads) {
            String body = source.body(method);
            if (body.contains("$$")) {
                throw new IllegalArgumentException("must not contain $$, which ends a body in CQL: " + method);
            }
            cql.append("""

                    CREATE OR REPLACE FUNCTION %s(%s)
                        CALLED ON NULL INPUT
                        RETURNS %s
                        LANGUAGE java
                        AS $$
                    %s    $$;
                    """.formatted(
                            stateFunctionName(aggregate, method),
                            method.getParameters().stream()
                                    .map(parameter -> parameter.getName() + " " + cqlType(parameter))
                                    .collect(Collectors.joining(", ")),
                            cqlType(method.getReturnType()),
                            body.indent(8)));
        }
        for (MethodTree method : overloads) {
            cql.append("""

                    CREATE OR REPLACE AGGREGATE %s(%s)
                        SFUNC %s
                        STYPE %s
                        INITCOND %s;
                    """.formatted(
                            aggregate,
                            method.getParameters().stream()
                                    .skip(1)
                                    .map(ScriptGenerator::cqlType)
                                    .collect(Collectors.joining(", ")),
                            stateFunctionName(aggregate, method),
                            cqlType(method.getReturnType()),
                            initialState));
        }
        return cql.toString();
    }

    private static String stateFunctionName(String aggregate, MethodTree method) {
        return aggregate + "_" + method.getName();
    }

    private static boolean isConstructor(Tree member) {
        return member instanceof MethodTree method && method.getReturnType() == null;
    }

    private static MethodTree stateFunction(ClassTree type, Tree member) {
        if (member instanceof MethodTree method
                && method.getModifiers().getFlags().contains(Modifier.STATIC)
                && method.getModifiers().getFlags().contains(Modifier.PUBLIC)) {
            return method;
        }
        throw new IllegalArgumentException(
                "must hold public static methods alone, because Cassandra sees one at a time: " + type.getSimpleName()
                        + " has " + member);
    }

    private static String annotated(ClassTree type, String element) {
        return type.getModifiers().getAnnotations().stream()
                .map(AnnotationTree::getArguments)
                .flatMap(List::stream)
                .map(AssignmentTree.class::cast)
                .filter(argument -> argument.getVariable().toString().equals(element))
                .map(argument -> (String) ((LiteralTree) argument.getExpression()).getValue())
                .findAny()
                .orElseThrow();
    }

    private static String cqlType(VariableTree parameter) {
        return cqlType(parameter.getType());
    }

    private static String cqlType(Tree javaType) {
        String cql = CQL_TYPES.get(javaType.toString());
        if (cql == null) {
            throw new IllegalArgumentException("must be one of " + CQL_TYPES.keySet() + ": type=" + javaType);
        }
        return cql;
    }
}
