package dev.cassidy.migration;

import com.datastax.oss.driver.api.core.DriverException;
import dev.cassidy.migration.error.ExitCode;
import dev.cassidy.migration.error.MigrationException;
import dev.cassidy.migration.target.OpenTransactions;
import dev.cassidy.migration.target.Target;
import dev.cassidy.transaction.TransactionRecord;
import dev.cassidy.transaction.TransactionRecord.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "status",
        description =
                "Tells whether a transaction is committed, by the id that an error of unknown outcome names. Changes"
                        + " nothing; exit code 3 if it is pending.")
final class TransactionStatusCommand implements Callable<Integer> {

    @Mixin
    private final CassandraOptions cassandra = new CassandraOptions();

    @Mixin
    private final OutputOption output = new OutputOption();

    @Parameters(paramLabel = "ID", description = "The transaction's id.")
    private @Nullable UUID id;

    private final Shell shell;

    TransactionStatusCommand(Shell shell) {
        this.shell = shell;
    }

    @Override
    public Integer call() {
        UUID asked = Objects.requireNonNull(id);
        Optional<TransactionRecord> found;
        try (Target target = cassandra.open(shell)) {
            found = find(target.transactions(), asked);
        }
        TransactionReport report = found.map(record -> TransactionReport.of(
                        (record.state() == State.PENDING ? ExitCode.UNDECIDED : ExitCode.OK).code(),
                        record,
                        shell.clock().instant()))
                .orElseGet(() -> TransactionReport.none(ExitCode.OK.code(), asked.toString()));
        output.write(shell, report);
        return report.exitCode();
    }

    /**
     * Looks for a record in all homes.
     *
     * @return empty if there is none
     * @throws MigrationException {@link ExitCode#CASSANDRA} if it is not known whether there is one: that there is none means something
     */
    static Optional<TransactionRecord> find(OpenTransactions transactions, UUID id) {
        List<String> unread = new ArrayList<>();
        DriverException failure = null;
        for (String home : transactions.homes()) {
            try {
                Optional<TransactionRecord> found = transactions.find(home, id);
                if (found.isPresent()) {
                    return found;
                }
            } catch (DriverException e) {
                unread.add(ListTransactionsCommand.unread(home, e));
                failure = e;
            }
        }
        if (failure != null) {
            throw new MigrationException(
                    ExitCode.CASSANDRA,
                    "it is not known whether there is a record of transaction " + id + ": " + String.join("; ", unread),
                    failure);
        }
        return Optional.empty();
    }
}
