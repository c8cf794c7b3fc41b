package dev.cassidy.tsql;

import dev.cassidy.insert.Kind;
import dev.cassidy.insert.Tokens;
import dev.cassidy.insert.UnsupportedSqlException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A literal of T-SQL that is a whole term: {@code 1}, {@code -1.5}, {@code +5}, {@code .5}, {@code $12.50}, {@code
 * N'a'}, {@code NULL}.
 *
 * @param text as CQL writes it
 */
record LiteralTerm(Type type, String text) {

    /** Not a uuid, and not a duration such as 1h30m. */
    private static final Pattern NUMBER = Pattern.compile("[0-9]+(\\.[0-9]+)?([eE][-+]?[0-9]+)?");

    /** The type that SQL Server gives the literal. */
    enum Type {
        INT("int"),
        DECIMAL("decimal"),
        DOUBLE("double"),
        TEXT("text"),
        BLOB("blob"),
        NULL("int");

        final String cql;

        Type(String cql) {
            this.cql = cql;
        }
    }

    /** Reads the literal that the tokens are; null if they are anything else, also a literal that only CQL has. */
    static @Nullable LiteralTerm read(Tokens tokens, int from, int to) {
        if (to - from == 1) {
            return switch (tokens.kind(from)) {
                case STRING -> new LiteralTerm(Type.TEXT, tokens.text(from));
                case NATIONAL -> new LiteralTerm(Type.TEXT, tokens.text(from).substring(1));
                case WORD -> tokens.isWord(from, "null") ? new LiteralTerm(Type.NULL, "NULL") : null;
                case NUMBER -> number(tokens.text(from), "", false);
                default -> null;
            };
        }
        return signed(tokens, from, to);
    }

    private static @Nullable LiteralTerm signed(Tokens tokens, int from, int to) {
        String sign = "";
        boolean money = false;
        int token = from;
        for (; token < to - 1 && tokens.kind(token) == Kind.SYMBOL; token++) {
            if (tokens.isSymbol(token, '$') && !money) {
                money = true;
            } else if (tokens.isSymbol(token, '-') && sign.isEmpty()) {
                sign = "-";
            } else if (!(tokens.isSymbol(token, '+') && sign.isEmpty())) {
                break;
            }
        }
        boolean point = token == to - 2 && tokens.isSymbol(token, '.') && tokens.end(token) == tokens.start(token + 1);
        if ((token != to - 1 && !point) || tokens.kind(to - 1) != Kind.NUMBER) {
            return null;
        }
        return number((point ? "0." : "") + tokens.text(to - 1), sign, money);
    }

    private static @Nullable LiteralTerm number(String digits, String sign, boolean money) {
        if (digits.startsWith("0x") || digits.startsWith("0X")) {
            return sign.isEmpty() && !money ? new LiteralTerm(Type.BLOB, digits) : null;
        }
        if (!NUMBER.matcher(digits).matches()) {
            return null;
        }
        String text = sign + digits;
        if (digits.indexOf('e') >= 0 || digits.indexOf('E') >= 0) {
            return money ? null : new LiteralTerm(Type.DOUBLE, text);
        }
        boolean whole = !money && digits.indexOf('.') < 0;
        return new LiteralTerm(whole && isInt(text) ? Type.INT : Type.DECIMAL, text);
    }

    private static boolean isInt(String text) {
        return text.length() < 12 && Long.parseLong(text) == (int) Long.parseLong(text);
    }

    boolean isNumber() {
        return type == Type.INT || type == Type.DECIMAL || type == Type.DOUBLE;
    }

    /** Returns the value of a number. */
    BigDecimal number() {
        return new BigDecimal(text);
    }

    /** Returns a text without its quotes; of another literal, how it is written. */
    String content() {
        return type == Type.TEXT ? new Tokens(text).content(0) : text;
    }

    /** Returns the value in Java: a number, a text or bytes; null for NULL. */
    @Nullable
    Object value() {
        return switch (type) {
            case INT, DECIMAL -> number();
            case DOUBLE -> Double.valueOf(text);
            case TEXT -> content();
            case NULL -> null;
            case BLOB -> {
                String digits = text.substring(2);
                yield ByteBuffer.wrap(HexFormat.of().parseHex((digits.length() % 2 == 0 ? "" : "0") + digits));
            }
        };
    }

    /** Returns the value with its type, for a result that the driver makes itself. */
    TsqlStep.Constant constant() {
        return switch (type) {
            case INT -> new TsqlStep.Constant("int", Integer.valueOf(text));
            case DECIMAL -> new TsqlStep.Constant("decimal", number());
            case DOUBLE -> new TsqlStep.Constant("double", Double.valueOf(text));
            case TEXT -> new TsqlStep.Constant("text", content());
            case NULL -> new TsqlStep.Constant("int", null);
            case BLOB -> throw new UnsupportedSqlException("the literal " + text + " in OUTPUT", "leave it out");
        };
    }

    /** Returns the literal with its type, as CQL needs it in the list of a SELECT. */
    String typed() {
        return "(" + type.cql + ")" + text;
    }

    /** In T-SQL a comma may stand within an amount of money, so that $1,000 is one value. */
    static void refuseCommaInMoney(Tokens tokens, int number) {
        if (tokens.isSymbol(number + 1, ',')
                && tokens.start(number + 1) == tokens.end(number)
                && tokens.kind(number + 2) == Kind.NUMBER
                && tokens.start(number + 2) == tokens.end(number + 1)) {
            throw new UnsupportedSqlException(
                    "the amount $" + tokens.text(number) + "," + tokens.text(number + 2),
                    "SQL Server reads it as one number: write it without the comma, or a blank after a comma that"
                            + " separates two values");
        }
    }
}
