package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.Job;
import org.springframework.batch.core.JobExecution;
import org.springframework.batch.core.JobExecutionException;
import org.springframework.batch.core.JobParameters;
import org.springframework.batch.core.JobParametersBuilder;
import org.springframework.batch.core.Step;
import org.springframework.batch.core.StepExecution;
import org.springframework.batch.core.explore.JobExplorer;
import org.springframework.batch.core.explore.support.JobExplorerFactoryBean;
import org.springframework.batch.core.job.builder.JobBuilder;
import org.springframework.batch.core.launch.support.TaskExecutorJobLauncher;
import org.springframework.batch.core.repository.JobInstanceAlreadyCompleteException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JobRepositoryFactoryBean;
import org.springframework.batch.core.step.builder.StepBuilder;
import org.springframework.batch.item.support.AbstractItemCountingItemStreamItemReader;
import org.springframework.batch.repeat.RepeatStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Spring Batch with the tables, and the sequences, that it has for SQL Server. */
class SpringBatchIT {

    private static final int ITEMS = 10;

    private static final JobParameters NUMBER =
            new JobParametersBuilder().addLong("number", 7L).toJobParameters();

    private static TestDatabase database;
    private static JdbcTemplate queries;
    private static JdbcTransactionManager transactions;
    private static JobRepository repository;
    private static JobExplorer explorer;
    private static TaskExecutorJobLauncher launcher;

    @BeforeAll
    static void start() throws Exception {
        // In Spring Batch's script this table has no primary key.
        String key = "\nALTER TABLE BATCH_JOB_EXECUTION_PARAMS ADD PRIMARY KEY (JOB_EXECUTION_ID, PARAMETER_NAME)";
        database = TestDatabase.cassidy(
                "spring_batch",
                8,
                List.of(
                        TestDatabase.script(Job.class, "schema-sqlserver.sql") + key,
                        // NULL is a value: an instance has one execution that has not ended.
                        "CREATE UNIQUE INDEX JOB_RUNNING_UN ON BATCH_JOB_EXECUTION (JOB_INSTANCE_ID, END_TIME)",
                        "CREATE TABLE item (id INT PRIMARY KEY, name NVARCHAR(20))"));
        queries = new JdbcTemplate(database.dataSource());
        // Its exceptions tell a key that is there from other failures of a commit.
        transactions = new JdbcTransactionManager(database.dataSource());
        JobRepositoryFactoryBean factory = new JobRepositoryFactoryBean();
        factory.setDataSource(database.dataSource());
        factory.setTransactionManager(transactions);
        factory.setDatabaseType("SQLSERVER");
        // At SERIALIZABLE, its default, each query would have to name its rows by their keys.
        factory.setIsolationLevelForCreate("ISOLATION_REPEATABLE_READ");
        factory.afterPropertiesSet();
        repository = factory.getObject();
        JobExplorerFactoryBean explorers = new JobExplorerFactoryBean();
        explorers.setDataSource(database.dataSource());
        explorers.setTransactionManager(transactions);
        explorers.afterPropertiesSet();
        explorer = explorers.getObject();
        launcher = new TaskExecutorJobLauncher();
        launcher.setJobRepository(repository);
        launcher.afterPropertiesSet();
    }

    @AfterAll
    static void stop() {
        if (database != null) {
            database.close();
        }
    }

    /** Gives the numbers from 1 on, and continues where the step was committed. */
    private static final class Numbers extends AbstractItemCountingItemStreamItemReader<Integer> {

        Numbers() {
            setName("numbers");
        }

        @Override
        protected Integer doRead() {
            return getCurrentItemCount() <= ITEMS ? getCurrentItemCount() : null;
        }

        @Override
        protected void doOpen() {}

        @Override
        protected void doClose() {}
    }

    /** @param fails whether the third chunk fails, after it has written */
    private static Job copying(AtomicBoolean fails) {
        Step step = new StepBuilder("copy", repository)
                .<Integer, Integer>chunk(3, transactions)
                .reader(new Numbers())
                .writer(chunk -> {
                    chunk.forEach(id -> queries.update("INSERT INTO item (id, name) VALUES (?, ?)", id, "item " + id));
                    if (fails.get() && chunk.getItems().contains(7)) {
                        throw new IllegalStateException("the third chunk fails");
                    }
                })
                .build();
        return new JobBuilder("copying", repository).start(step).build();
    }

    private static List<Integer> items() {
        return queries.queryForList("SELECT id FROM item ORDER BY id", Integer.class);
    }

    @Test
    void shouldRestartWhereAJobHasFailed() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        JobParameters parameters = new JobParametersBuilder()
                .addString("day", "2026-11-30")
                .addLong("attempt", 1L, false)
                .toJobParameters();
        JobExecution first = launcher.run(copying(fails), parameters);
        assertThat(first.getStatus()).isEqualTo(BatchStatus.FAILED);
        assertThat(items()).containsExactly(1, 2, 3, 4, 5, 6);
        fails.set(false);
        JobExecution second = launcher.run(copying(fails), parameters);
        assertThat(second.getStatus()).isEqualTo(BatchStatus.COMPLETED);
        assertThat(items())
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, ITEMS).boxed().toList());
        assertThatThrownBy(() -> launcher.run(copying(fails), parameters))
                .isInstanceOf(JobInstanceAlreadyCompleteException.class);

        assertThat(second.getJobInstance()).isEqualTo(first.getJobInstance());
        assertThat(explorer.getJobExecutions(first.getJobInstance()))
                .extracting(JobExecution::getId)
                .containsExactly(second.getId(), first.getId());
        assertThat(explorer.getJobInstanceCount("copying")).isEqualTo(1);
        assertThat(explorer.getJobInstances("copying", 0, 5)).containsExactly(first.getJobInstance());
        assertThat(explorer.findRunningJobExecutions("copying")).isEmpty();
        JobExecution found = explorer.getJobExecution(first.getId());
        assertThat(found.getJobParameters()).isEqualTo(parameters);
        assertThat(found.getExitStatus().getExitDescription()).contains("the third chunk fails");
        StepExecution step = found.getStepExecutions().iterator().next();
        assertThat(step.getWriteCount()).isEqualTo(6);
        assertThat(step.getRollbackCount()).isEqualTo(1);
        assertThat(step.getExecutionContext().getInt("numbers.read.count")).isEqualTo(6);
    }

    /** UNIQUE of name and key of BATCH_JOB_INSTANCE decides. */
    @Test
    void shouldRunAJobOnceThatIsLaunchedAtTheSameTime() throws Exception {
        assertThat(launchedTogether("once", new AtomicBoolean())).containsExactly(BatchStatus.COMPLETED);
        assertThat(explorer.getJobInstanceCount("once")).isEqualTo(1);
        assertThat(explorer.getJobExecutions(explorer.getLastJobInstance("once")))
                .hasSize(1);
    }

    /** The index of executions that have not ended decides: of rows that are not there yet, no isolation level keeps others away. */
    @Test
    void shouldRestartAJobOnceThatIsRestartedAtTheSameTime() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        JobExecution failed = launcher.run(waiting("again", new CountDownLatch(0), fails), NUMBER);
        assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
        fails.set(false);
        assertThat(launchedTogether("again", fails)).containsExactly(BatchStatus.COMPLETED);
        assertThat(explorer.getJobExecutions(failed.getJobInstance())).hasSize(2);
    }

    private static Job waiting(String name, CountDownLatch others, AtomicBoolean fails) {
        Step step = new StepBuilder("waiting", repository)
                .tasklet(
                        (contribution, chunk) -> {
                            others.await();
                            if (fails.get()) {
                                throw new IllegalStateException("the step fails");
                            }
                            return RepeatStatus.FINISHED;
                        },
                        transactions)
                .build();
        return new JobBuilder(name, repository).start(step).build();
    }

    /** Returns how those have ended that were not refused; each runs until all others are refused. */
    private static List<BatchStatus> launchedTogether(String name, AtomicBoolean fails) throws Exception {
        int launches = 5;
        CountDownLatch refused = new CountDownLatch(launches - 1);
        Job job = waiting(name, refused, fails);
        CyclicBarrier start = new CyclicBarrier(launches);
        ExecutorService pool = Executors.newFixedThreadPool(launches);
        List<BatchStatus> ended = new ArrayList<>();
        try {
            List<Future<BatchStatus>> all = new ArrayList<>();
            for (int i = 0; i < launches; i++) {
                all.add(pool.submit(() -> {
                    start.await();
                    try {
                        return launcher.run(job, NUMBER).getStatus();
                    } catch (RuntimeException | JobExecutionException e) {
                        // By a key that is there, a lost race, or a query of Spring Batch that reads one table twice,
                        // and another
                        // launch in between: then it finds no last execution, and does not expect that.
                        return null;
                    } finally {
                        refused.countDown();
                    }
                }));
            }
            for (Future<BatchStatus> each : all) {
                BatchStatus status = each.get(3, TimeUnit.MINUTES);
                if (status != null) {
                    ended.add(status);
                }
            }
        } finally {
            pool.shutdownNow();
        }
        return ended;
    }
}
