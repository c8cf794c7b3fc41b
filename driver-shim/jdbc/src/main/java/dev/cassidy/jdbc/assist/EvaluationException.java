package dev.cassidy.jdbc.assist;

/** What SQL Server would have refused too while it evaluates, such as a division by zero. */
public final class EvaluationException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int number;
    private final String sqlState;

    /**
     * @param number SQL Server's number of the error
     * @param sqlState as the standard and the driver have it
     * @param message which value breaks which rule
     */
    public EvaluationException(int number, String sqlState, String message) {
        super(message);
        this.number = number;
        this.sqlState = sqlState;
    }

    public static EvaluationException conversion(int number, String message) {
        return new EvaluationException(number, "22018", message);
    }

    public static EvaluationException overflow(String type) {
        return new EvaluationException(
                8115, "22003", "Arithmetic overflow error converting expression to data type " + type);
    }

    public static EvaluationException date() {
        return new EvaluationException(
                241, "22007", "Conversion failed when converting date and/or time from character string");
    }

    public static EvaluationException rule(int number, String message) {
        return new EvaluationException(number, "42000", message);
    }

    /** Returns SQL Server's number of the error. */
    public int number() {
        return number;
    }

    /** Returns the SQLState. */
    public String sqlState() {
        return sqlState;
    }
}
