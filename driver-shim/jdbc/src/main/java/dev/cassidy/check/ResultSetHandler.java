package dev.cassidy.check;

import java.lang.reflect.Method;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A result set of the old database. */
final class ResultSetHandler extends Handler {

    private static final Set<String> WRITING = Set.of(
            "cancelRowUpdates",
            "deleteRow",
            "insertRow",
            "moveToCurrentRow",
            "moveToInsertRow",
            "refreshRow",
            "updateRow");

    private final Statement statement;
    private final Recorder recorder;

    ResultSetHandler(ResultSet real, Statement statement, Recorder recorder) {
        super(real);
        this.statement = statement;
        this.recorder = recorder;
    }

    @Override
    @Nullable
    Object call(Object proxy, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (name.equals("getStatement")) {
            // The real one first: it throws if it is closed. Frameworks check whether it is the one that they hold.
            return pass(method, arguments) == null ? null : statement;
        }
        aside(() -> note(name));
        return pass(method, arguments);
    }

    private void note(String name) {
        if (WRITING.contains(name)) {
            recorder.refusedCall("ResultSet." + name, "a result set is read-only: write by SQL");
        }
    }
}
