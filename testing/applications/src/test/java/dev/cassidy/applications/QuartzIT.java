package dev.cassidy.applications;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.PersistJobDataAfterExecution;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.Trigger.TriggerState;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.TriggerUtils;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.MSSQLDelegate;
import org.quartz.impl.matchers.GroupMatcher;
import org.quartz.spi.OperableTrigger;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;
import org.springframework.jdbc.core.JdbcTemplate;

/** Two schedulers of Quartz, as two processes have them, with the tables that Quartz has for SQL Server. */
class QuartzIT {

    private static final String CLUSTER = "cluster";

    /** Of a job that is executing when its process dies. */
    private static final CountDownLatch DEATH = new CountDownLatch(1);

    private static TestDatabase database;
    private static JdbcTemplate queries;
    private static Scheduler one;
    private static Scheduler other;

    /** A job that was executed. */
    private record Firing(TriggerKey trigger, Date scheduled) {
        static Firing of(JobExecutionContext execution) {
            return new Firing(execution.getTrigger().getKey(), execution.getScheduledFireTime());
        }
    }

    private static final Queue<Firing> FIRINGS = new ConcurrentLinkedQueue<>();
    private static final Map<JobKey, Boolean> RECOVERIES = new ConcurrentHashMap<>();

    /** Public, as all jobs, for Quartz. */
    public static class Simple implements Job {
        @Override
        public void execute(JobExecutionContext execution) {
            FIRINGS.add(Firing.of(execution));
        }
    }

    /** Counts its executions in its own data, so that no two may run at the same time. */
    @DisallowConcurrentExecution
    @PersistJobDataAfterExecution
    public static class Counting implements Job {
        @Override
        public void execute(JobExecutionContext execution) {
            FIRINGS.add(Firing.of(execution));
            execution
                    .getJobDetail()
                    .getJobDataMap()
                    .put("count", execution.getJobDetail().getJobDataMap().getInt("count") + 1);
        }
    }

    public static class Dying implements Job {
        @Override
        public void execute(JobExecutionContext execution) {
            RECOVERIES.put(execution.getJobDetail().getKey(), execution.isRecovering());
            if (!execution.isRecovering()) {
                try {
                    DEATH.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @BeforeAll
    static void start() throws Exception {
        String tables = TestDatabase.script(JobStoreTX.class, "tables_sqlServer.sql")
                .replace("USE [enter_db_name_here]\nGO\n", "");
        // In Quartz's script this table has no primary key.
        String key = "\nALTER TABLE QRTZ_BLOB_TRIGGERS ADD PRIMARY KEY (SCHED_NAME, TRIGGER_NAME, TRIGGER_GROUP)\nGO\n";
        database = TestDatabase.cassidy("quartz", 16, List.of(tables + key));
        queries = new JdbcTemplate(database.dataSource());
        connectTo("both", new AtomicBoolean());
        one = scheduler("one", "both");
        other = scheduler("other", "both");
        one.addJob(job("simple", Simple.class), false);
        one.addJob(job("counting", Counting.class), false);
        one.start();
        other.start();
    }

    @AfterAll
    static void stop() throws SchedulerException {
        if (database != null) {
            one.shutdown(true);
            other.shutdown(true);
            database.close();
        }
    }

    private static JobDetail job(String name, Class<? extends Job> type) {
        return JobBuilder.newJob(type)
                .withIdentity(name)
                .usingJobData("count", 0)
                .storeDurably()
                .requestRecovery(type == Dying.class)
                .build();
    }

    /** @param dead whether the process of these connections has died */
    private static void connectTo(String dataSource, AtomicBoolean dead) {
        DBConnectionManager.getInstance().addConnectionProvider(dataSource, new ConnectionProvider() {
            @Override
            public Connection getConnection() throws SQLException {
                if (dead.get()) {
                    throw new SQLException("this process is dead");
                }
                return database.dataSource().getConnection();
            }

            @Override
            public void initialize() {}

            @Override
            public void shutdown() {}
        });
    }

    private static Scheduler scheduler(String instance, String dataSource) throws SchedulerException {
        Properties settings = new Properties();
        settings.put("org.quartz.scheduler.instanceName", CLUSTER);
        settings.put("org.quartz.scheduler.instanceId", instance);
        settings.put("org.quartz.threadPool.threadCount", "3");
        settings.put("org.quartz.jobStore.class", JobStoreTX.class.getName());
        settings.put("org.quartz.jobStore.driverDelegateClass", MSSQLDelegate.class.getName());
        settings.put("org.quartz.jobStore.dataSource", dataSource);
        settings.put("org.quartz.jobStore.isClustered", "true");
        settings.put("org.quartz.jobStore.acquireTriggersWithinLock", "true");
        // A busy process must not seem dead: it is that after 7.5 s more.
        settings.put("org.quartz.jobStore.clusterCheckinInterval", "3000");
        settings.put("org.quartz.jobStore.misfireThreshold", "1000");
        settings.put("org.quartz.jobStore.dbRetryInterval", "1000");
        // The factory gives a second scheduler of a name only to another process.
        SchedulerRepository.getInstance().remove(CLUSTER);
        return new StdSchedulerFactory(settings).getScheduler();
    }

    private static TriggerBuilder<Trigger> trigger(String name) {
        return TriggerBuilder.newTrigger().withIdentity(name).forJob("simple");
    }

    private static List<Firing> firings(TriggerKey trigger) {
        return FIRINGS.stream().filter(each -> each.trigger().equals(trigger)).toList();
    }

    /** On a busy machine all takes long. */
    private static org.awaitility.core.ConditionFactory patiently() {
        return await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
    }

    private static void awaitGone(TriggerKey trigger) {
        patiently().until(() -> !one.checkExists(trigger));
    }

    @Test
    void shouldFireEachTriggerOnce() throws SchedulerException {
        List<Trigger> triggers = new ArrayList<>();
        SimpleScheduleBuilder eightTimes = SimpleScheduleBuilder.simpleSchedule()
                .withIntervalInMilliseconds(100)
                .withRepeatCount(7)
                .withMisfireHandlingInstructionIgnoreMisfires();
        for (int i = 0; i < 5; i++) {
            triggers.add(trigger("simple " + i).withSchedule(eightTimes).build());
        }
        triggers.add(
                trigger("counting").forJob("counting").withSchedule(eightTimes).build());
        triggers.add(trigger("each second")
                .withSchedule(
                        CronScheduleBuilder.cronSchedule("* * * * * ?").withMisfireHandlingInstructionIgnoreMisfires())
                .endAt(Date.from(Instant.now().plusSeconds(4)))
                .build());
        List<Firing> expected = new ArrayList<>();
        for (Trigger each : triggers) {
            (triggers.indexOf(each) % 2 == 0 ? one : other).scheduleJob(each);
            OperableTrigger again = (OperableTrigger) each.getTriggerBuilder().build();
            TriggerUtils.computeFireTimes(again, null, 100)
                    .forEach(time -> expected.add(new Firing(each.getKey(), time)));
        }
        for (Trigger each : triggers) {
            awaitGone(each.getKey());
        }
        patiently().until(() -> queries.queryForList("SELECT * FROM QRTZ_FIRED_TRIGGERS"), List::isEmpty);
        List<Firing> seen = triggers.stream()
                .flatMap(each -> firings(each.getKey()).stream())
                .toList();
        assertThat(seen).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(other.getJobDetail(JobKey.jobKey("counting")).getJobDataMap().getInt("count"))
                .isEqualTo(8);
        assertThat(queries.queryForList("SELECT TRIGGER_NAME FROM QRTZ_SIMPLE_TRIGGERS WHERE SCHED_NAME = ?", CLUSTER))
                .isEmpty();
    }

    @Test
    void shouldPauseAndResume() throws SchedulerException {
        TriggerKey key = TriggerKey.triggerKey("waiting", "paused");
        one.pauseTriggers(GroupMatcher.triggerGroupEquals("paused"));
        other.scheduleJob(trigger("any").withIdentity(key).startNow().build());
        assertThat(one.getTriggerState(key)).isEqualTo(TriggerState.PAUSED);
        assertThat(one.getPausedTriggerGroups()).containsExactly("paused");
        other.resumeTriggers(GroupMatcher.triggerGroupStartsWith("pau"));
        awaitGone(key);
        patiently().until(() -> firings(key).size(), count -> count == 1);
        assertThat(one.getPausedTriggerGroups()).isEmpty();
    }

    @Test
    void shouldHandleMisfires() throws SchedulerException {
        Date past = Date.from(Instant.now().minus(Duration.ofDays(800)));
        Trigger now = trigger("fire now")
                .startAt(past)
                .withSchedule(SimpleScheduleBuilder.simpleSchedule().withMisfireHandlingInstructionFireNow())
                .build();
        Trigger never = trigger("next year")
                .startAt(past)
                .withSchedule(CronScheduleBuilder.cronSchedule("0 0 0 1 1 ?").withMisfireHandlingInstructionDoNothing())
                .build();
        one.scheduleJob(now);
        one.scheduleJob(never);
        patiently()
                .until(() -> other.getTrigger(never.getKey()).getNextFireTime().after(new Date()));
        awaitGone(now.getKey());
        patiently().until(() -> firings(now.getKey()).size(), count -> count == 1);
        assertThat(firings(never.getKey())).isEmpty();
        assertThat(other.getTriggerState(never.getKey())).isEqualTo(TriggerState.NORMAL);
        assertThat(other.unscheduleJob(never.getKey())).isTrue();
    }

    @Test
    void shouldRecoverTheJobOfADeadProcess() throws SchedulerException {
        AtomicBoolean dead = new AtomicBoolean();
        connectTo("dying", dead);
        Scheduler dying = scheduler("dying", "dying");
        try {
            JobKey job = JobKey.jobKey("recovered");
            // Nobody else may fire it.
            one.standby();
            other.standby();
            dying.start();
            dying.scheduleJob(
                    job("recovered", Dying.class), trigger("once").forJob(job).build());
            patiently().until(() -> RECOVERIES.containsKey(job));
            dead.set(true);
            one.start();
            other.start();
            patiently().until(() -> RECOVERIES.get(job));
            patiently()
                    .until(
                            () -> queries.queryForList(
                                    "SELECT * FROM QRTZ_FIRED_TRIGGERS WHERE SCHED_NAME = ? AND JOB_NAME = 'recovered'",
                                    CLUSTER),
                            List::isEmpty);
            assertThat(queries.queryForList(
                            "SELECT INSTANCE_NAME FROM QRTZ_SCHEDULER_STATE WHERE SCHED_NAME = ?",
                            String.class,
                            CLUSTER))
                    .containsExactlyInAnyOrder("one", "other");
        } finally {
            one.start();
            other.start();
            dying.shutdown(false);
            DEATH.countDown();
        }
    }
}
