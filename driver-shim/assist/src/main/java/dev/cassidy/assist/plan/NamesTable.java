package dev.cassidy.assist.plan;

import dev.cassidy.assist.tree.SqlNames;
import java.util.Set;
import net.sf.jsqlparser.statement.select.Select;
import net.sf.jsqlparser.util.TablesNamesFinder;

/** Whether a SELECT reads a table of a name. */
final class NamesTable {

    private NamesTable() {}

    static boolean within(Select select, String name) {
        Set<String> names = new TablesNamesFinder<Void>().getTables((net.sf.jsqlparser.statement.Statement) select);
        String wanted = SqlNames.plain(name);
        return names.stream().map(SqlNames::plain).anyMatch(wanted::equals);
    }
}
