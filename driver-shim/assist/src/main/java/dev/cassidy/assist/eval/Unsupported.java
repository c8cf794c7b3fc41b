package dev.cassidy.assist.eval;

import net.sf.jsqlparser.statement.select.PlainSelect;
import net.sf.jsqlparser.statement.select.Select;
import org.jspecify.annotations.Nullable;

/** Parts of a SELECT that T-SQL does not have or that are not evaluated. A part that nobody looks for would be left out in silence. */
final class Unsupported {

    private Unsupported() {}

    static NotEvaluatedException node(Object node) {
        String text = String.valueOf(node);
        String shown = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return new NotEvaluatedException(
                shown + " (" + node.getClass().getSimpleName() + ")",
                "nothing of the kind is",
                "Write it in another way");
    }

    static void check(Select select) {
        refuse("LIMIT", select.getLimit(), "T-SQL does not have it", "Write TOP or OFFSET FETCH");
        refuse("LIMIT", select.getLimitBy(), "T-SQL does not have it", "Write TOP or OFFSET FETCH");
        refuse("FOR XML or JSON", select.getForClause(), "it makes no rows", "Make the text in the application");
        refuse("FOR UPDATE", select.getForMode(), "T-SQL does not have it", "Leave it out");
        refuse("FOR UPDATE", select.getForUpdateTable(), "T-SQL does not have it", "Leave it out");
        refuse("WITH at the end", select.getIsolation(), "T-SQL does not have it", "Leave it out");
        refuse("PIVOT", select.getPivot(), "H2 has none", "Write SUM(CASE WHEN ... THEN ... END) for each column");
        refuse("UNPIVOT", select.getUnPivot(), "H2 has none", "Write UNION ALL");
        refuse("WAIT", select.getWait(), "T-SQL does not have it", "Leave it out");
        if (select.isOracleSiblings() || select.isSkipLocked() || select.isNoWait()) {
            throw node(select);
        }
    }

    static void check(PlainSelect select) {
        boolean into = select.getIntoTables() != null && !select.getIntoTables().isEmpty();
        refuse("SELECT INTO", into ? "" : null, "it makes a table", "Create the table, and INSERT the rows");
        refuse("SELECT INTO", select.getIntoTempTable(), "it makes a table", "Create the table, and INSERT the rows");
        refuse("FOR XML PATH", select.getForXmlPath(), "it makes no rows", "Make the text in the application");
        refuse("QUALIFY", select.getQualify(), "T-SQL does not have it", "Write a subquery");
        refuse("WINDOW", select.getWindowDefinitions(), "its names are not known here", "Write OVER (...) in full");
        refuse(
                "CONNECT BY",
                select.getOracleHierarchical(),
                "T-SQL does not have it",
                "Read one level after the other");
        refuse("LATERAL VIEW", select.getLateralViews(), "T-SQL does not have it", "Write a join");
        refuse("SKIP", select.getSkip(), "T-SQL does not have it", "Write OFFSET");
        refuse("FIRST", select.getFirst(), "T-SQL does not have it", "Write TOP");
        refuse("PREFERRING", select.getPreferringClause(), "T-SQL does not have it", "Leave it out");
        refuse("OPTIMIZE FOR", select.getOptimizeFor(), "T-SQL does not have it", "Leave it out");
        refuse("WINDOW", select.getKsqlWindow(), "T-SQL does not have it", "Leave it out");
        refuse("A qualifier", select.getBigQuerySelectQualifier(), "T-SQL does not have it", "Leave it out");
        refuse("A qualifier", select.getMySqlSqlCacheFlag(), "T-SQL does not have it", "Leave it out");
        if (select.getDistinct() != null
                && (select.getDistinct().isUseUnique() || select.getDistinct().getOnSelectItems() != null)) {
            throw node(select.getDistinct());
        }
        if (select.isUsingFinal()
                || select.isUsingOnly()
                || select.isUseWithNoLog()
                || select.isEmitChanges()
                || select.getMySqlHintStraightJoin()
                || select.getMySqlSqlCalcFoundRows()) {
            throw node(select);
        }
    }

    static void refuse(String what, @Nullable Object part, String why, String instead) {
        if (part != null) {
            throw new NotEvaluatedException(what, why, instead);
        }
    }
}
