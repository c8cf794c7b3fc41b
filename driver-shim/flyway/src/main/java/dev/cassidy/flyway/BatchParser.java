package dev.cassidy.flyway;

import java.io.IOException;
import org.flywaydb.core.api.configuration.Configuration;
import org.flywaydb.core.internal.parser.Parser;
import org.flywaydb.core.internal.parser.ParserContext;
import org.flywaydb.core.internal.parser.ParsingContext;
import org.flywaydb.core.internal.parser.PeekingReader;
import org.flywaydb.core.internal.parser.Token;
import org.flywaydb.core.internal.parser.TokenType;
import org.flywaydb.core.internal.sqlscript.Delimiter;

/**
 * Splits a script as SQL Server's tools do: at GO alone in its line. What stands between is a batch, which the driver reads as one:
 * its variables and blocks end there. What is not recognised as GO here, such as GO with a count, the driver sees and judges.
 */
final class BatchParser extends Parser {

    /** GO, and what may stand behind it in its line. */
    private static final int LOOK_AHEAD = 32;

    private static final String FUNCTION_BODY = "$$";

    BatchParser(Configuration configuration, ParsingContext parsingContext) {
        super(configuration, parsingContext, LOOK_AHEAD);
    }

    @Override
    protected Delimiter getDefaultDelimiter() {
        return Delimiter.GO;
    }

    /** @param peek ends with the line, or with the script if it is shorter than was asked for */
    @Override
    protected boolean isDelimiter(String peek, ParserContext context, int col, int colIgnoringWhitespace) {
        return colIgnoringWhitespace == 1
                && (peek.endsWith("\n") || peek.length() < LOOK_AHEAD)
                && peek.strip().equalsIgnoreCase("GO");
    }

    /** Names that contain GO, such as CATEGORY, do not end there. */
    @Override
    protected String readKeyword(PeekingReader reader, Delimiter delimiter, ParserContext context) throws IOException {
        return (char) reader.read() + reader.readKeywordPart(null, context);
    }

    @Override
    protected char getOpeningIdentifierSymbol() {
        return '[';
    }

    @Override
    protected char getClosingIdentifierSymbol() {
        return ']';
    }

    /** CQL's functions. */
    @Override
    protected boolean isAlternativeStringLiteral(String peek) {
        return peek.startsWith(FUNCTION_BODY);
    }

    @Override
    protected Token handleAlternativeStringLiteral(
            PeekingReader reader, ParserContext context, int pos, int line, int col) throws IOException {
        reader.swallow(FUNCTION_BODY.length());
        reader.swallowUntilExcluding(FUNCTION_BODY);
        reader.swallow(FUNCTION_BODY.length());
        return new Token(TokenType.STRING, pos, line, col, null, null, context.getParensDepth());
    }
}
