package dev.skipjack.operations.diagnosis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.sql.Counted;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how facts become findings, including facts that no test server can have. */
class ChecksTest {

  private static final Instant NOW = Instant.parse("2026-11-18T12:00:00Z"); // a Wednesday

  @Test
  void settingsThatRiskCorruptionAreRedAndLostCommitsAreYellow() {
    assertThat(settings("on", "on", "on").level()).isEqualTo(Level.GREEN);
    assertThat(settings("on", "on", "local").level()).isEqualTo(Level.GREEN);
    assertThat(settings("on", "on", "off").level()).isEqualTo(Level.YELLOW);
    assertThat(settings("on", "off", "on").level()).isEqualTo(Level.RED);
    assertThat(settings("off", "off", "off").sentence())
        .isEqualTo(
            "A crash of the server may corrupt the queue: fsync = off, full_page_writes = off.");
  }

  @Test
  void timesOfDeadJobsAreOmittedIfNotAllJobsWereRead() {
    assertThat(
            WorkChecks.deadJobs(
                    new DeadJobFactsStatement.Facts(
                        DeadJobFactsStatement.WINDOW, Duration.ofHours(3), Duration.ofHours(1)))
                .sentence())
        .isEqualTo("At least 10,000 jobs are dead.");
  }

  @Test
  void aPoolerIsDetectedByADifferentServerProcess() {
    ServerFactsStatement.Facts server = server();

    assertThat(ServerChecks.pooler(server, OptionalInt.of(7)).level()).isEqualTo(Level.GREEN);
    assertThat(ServerChecks.pooler(server, OptionalInt.of(8)).level()).isEqualTo(Level.YELLOW);
    assertThat(ServerChecks.pooler(server, OptionalInt.empty()).level())
        .isEqualTo(Level.NOT_CHECKED);
  }

  @Test
  void serversClockIsComparedWithTheLocalTimesBeforeAndAfterItsRead() {
    ServerFactsStatement.Facts server = server();

    assertThat(ServerChecks.clock(server, NOW.minusSeconds(9), NOW.plusSeconds(9)).level())
        .isEqualTo(Level.GREEN);
    Finding slow = ServerChecks.clock(server, NOW.minusSeconds(9), NOW.minusSeconds(4));
    assertThat(slow.level()).isEqualTo(Level.YELLOW);
    assertThat(slow.sentence())
        .isEqualTo("The clock of this machine is 4 s behind that of the server.");
    Finding fast = ServerChecks.clock(server, NOW.plusSeconds(600), NOW.plusSeconds(601));
    assertThat(fast.level()).isEqualTo(Level.RED);
    assertThat(fast.sentence()).contains("is 10 min 0 s ahead of that");
  }

  @Test
  void connectionsAreJudgedByTheNumberLeft() {
    assertThat(connections(20).level()).isEqualTo(Level.GREEN);
    assertThat(connections(80).level()).isEqualTo(Level.YELLOW);
    Finding red = connections(98);
    assertThat(red.level()).isEqualTo(Level.RED);
    assertThat(red.sentence()).isEqualTo("0 of 97 connections are left.");
  }

  @Test
  void queueOfNotificationsIsJudgedByItsUse() {
    assertThat(Stream.of(0.01, 0.2, 0.7).map(ServerChecks::notifyQueue).map(Finding::level))
        .containsExactly(Level.GREEN, Level.YELLOW, Level.RED);
  }

  @Test
  void aTransactionThatHoldsBackVacuumIsNamed() {
    assertThat(horizon(List.of()).level()).isEqualTo(Level.GREEN);
    assertThat(horizon(List.of(session(9, Duration.ofMinutes(9)))).level()).isEqualTo(Level.GREEN);
    assertThat(horizon(List.of(session(9, Duration.ofMinutes(11)))).level())
        .isEqualTo(Level.YELLOW);
    Finding red =
        horizon(List.of(session(9_000, Duration.ofHours(2)), session(5, Duration.ofHours(1))));
    assertThat(red.level()).isEqualTo(Level.RED);
    assertThat(red.sentence())
        .isEqualTo(
            "The transaction of process 4711 (app) has been open for 2 h 0 min and holds back vacuum by 9,000 transactions. Query: SELECT 1");
    assertThat(commandOf(red)).isEqualTo("SELECT pg_terminate_backend(4711);");
  }

  @Test
  void aRedHolderComesBeforeAYellowOneThatHoldsBackMoreTransactions() {
    Finding finding =
        horizon(
            List.of(session(2_000_000, Duration.ofMinutes(1)), session(5, Duration.ofHours(2))));

    assertThat(finding.level()).isEqualTo(Level.RED);
    assertThat(finding.sentence()).contains("has been open for 2 h 0 min");
  }

  @Test
  void preparedTransactionsAndSlotsHoldBackVacuumToo() {
    Finding prepared =
        horizon(
            List.of(
                new HorizonStatement.Holder(
                    "prepared", "it's", "app", 5, NOW.minusSeconds(7_200), null, NOW)));
    assertThat(prepared.level()).isEqualTo(Level.RED);
    assertThat(commandOf(prepared)).isEqualTo("ROLLBACK PREPARED 'it''s';");
    Finding slot =
        horizon(
            List.of(new HorizonStatement.Holder("slot", "s1", null, 2_000_000, null, null, NOW)));
    assertThat(slot.level()).isEqualTo(Level.YELLOW);
    assertThat(slot.sentence())
        .isEqualTo("The replication slot 's1' holds back vacuum by 2,000,000 transactions.");
  }

  @Test
  void sessionsThatTheRoleMayNotSeeAreReportedUnlessAVisibleOneIsBad() {
    HorizonStatement.Holder hidden =
        new HorizonStatement.Holder("session", "1", "other", null, null, "<...>", NOW);

    Finding unknown = horizon(List.of(session(9, Duration.ofMinutes(9)), hidden));
    assertThat(unknown.level()).isEqualTo(Level.NOT_CHECKED);
    assertThat(unknown.sentence())
        .isEqualTo(
            "No visible transaction has held back vacuum for 10 min 0 s, but the role Viewer may not see the transactions of other roles (1 session).");
    assertThat(commandOf(unknown))
        .isEqualTo("GRANT pg_read_all_stats TO \"Viewer\"; -- by a superuser");
    assertThat(horizon(List.of(session(1, Duration.ofHours(2)), hidden)).level())
        .isEqualTo(Level.RED);
  }

  @Test
  void deadRowsAreComparedWithTheLimitOfAutovacuum() {
    assertThat(StorageChecks.deadRows(List.of(), false).level()).isEqualTo(Level.GREEN);
    assertThat(deadRows(1_000_000, 200_000).level()).isEqualTo(Level.GREEN);
    assertThat(deadRows(1_000_000, 300_000).level()).isEqualTo(Level.YELLOW);
    assertThat(deadRows(0, 200_000).level()).isEqualTo(Level.RED);
    assertThat(deadRows(0, 200_000).sentence())
        .isEqualTo("Table jobs has 200,000 dead rows beside 0 live rows.");
    assertThat(StorageChecks.deadRows(List.of(), true).level()).isEqualTo(Level.NOT_CHECKED);
  }

  @Test
  void indexesAreComparedWithTheirRows() {
    assertThat(indexSize(0, 60).level()).isEqualTo(Level.GREEN);
    assertThat(indexSize(1_000_000, 300).level()).isEqualTo(Level.GREEN);
    assertThat(indexSize(100_000, 300).level()).isEqualTo(Level.YELLOW);
    assertThat(indexSize(10_000, 300).level()).isEqualTo(Level.YELLOW);
    assertThat(indexSize(10_000, 3_000).level()).isEqualTo(Level.RED);
    assertThat(StorageChecks.indexSize(List.of(), true).level()).isEqualTo(Level.NOT_CHECKED);
  }

  @Test
  void indexesAreComparedWithTheAnalyzedRowsAfterAResetOfTheStatistics() {
    assertThat(indexSizeAfterReset(1_000_000, 3_000).level()).isEqualTo(Level.YELLOW);
    assertThat(indexSizeAfterReset(1_000_000, 300).level()).isEqualTo(Level.GREEN);
    assertThat(indexSizeAfterReset(0, 3_000).level()).isEqualTo(Level.RED);
    Finding unknown = indexSizeAfterReset(-1, 3_000);
    assertThat(unknown.level()).isEqualTo(Level.NOT_CHECKED);
    assertThat(unknown.sentence()).isEqualTo("The number of rows of table jobs is unknown.");
    assertThat(indexSizeAfterReset(-1, 60).level()).isEqualTo(Level.GREEN);
  }

  @Test
  void partitionsAreNeededForNowAndForTheNextDays() {
    List<String> all =
        List.of(
            "job_executions_20261116",
            "jobs_archive_20261118",
            "jobs_archive_20261119",
            "jobs_archive_20261120");
    assertThat(partitions(all, null).level()).isEqualTo(Level.GREEN);
    assertThat(partitions(all.subList(0, 3), null).level()).isEqualTo(Level.YELLOW);
    assertThat(partitions(all.subList(0, 3), null).sentence())
        .startsWith("Partition jobs_archive_20261120 is missing, which will be needed in 2 days");
    assertThat(partitions(all.subList(1, 4), null).level()).isEqualTo(Level.RED);
    assertThat(partitions(all.subList(1, 4), null).sentence())
        .isEqualTo("Partition job_executions_20261116 is missing, and it is needed now.");
    assertThat(commandOf(partitions(all.subList(1, 4), null))).isEqualTo("skipjack prune");
    assertThat(partitions(all, "jobs_archive_20260101").level()).isEqualTo(Level.YELLOW);
    assertThat(partitions(all, "jobs_archive_20260101").sentence()).contains("overdue");
  }

  @Test
  void theUsedTableOfAnExtensionNeedsAPartitionForEachDay() {
    List<String> names =
        List.of(
            "job_executions_20261116",
            "jobs_archive_20261118",
            "jobs_archive_20261119",
            "jobs_archive_20261120",
            "more_20261118");

    Finding finding = StorageChecks.partitions(attached(names), List.of("more"), NOW);

    assertThat(finding.level()).isEqualTo(Level.YELLOW);
    assertThat(finding.sentence()).startsWith("Partition more_20261119 is missing");
  }

  @Test
  void theSchemaMayBeNewerThanTheProgram() {
    assertThat(WorkChecks.schemaVersion(8, 8).level()).isEqualTo(Level.GREEN);
    assertThat(WorkChecks.schemaVersion(9, 8).level()).isEqualTo(Level.YELLOW);
    assertThat(WorkChecks.schemaVersion(7, 8).level()).isEqualTo(Level.RED);
  }

  @Test
  void nounsAgreeWithTheirNumbers() {
    assertThat(Counted.of(0, "job", "jobs")).isEqualTo("0 jobs");
    assertThat(Counted.of(1, "job", "jobs")).isEqualTo("1 job");
    assertThat(Counted.of(1_000, "job", "jobs")).isEqualTo("1,000 jobs");
    assertThat(
            WorkChecks.leases(new LeaseFactsStatement.Facts(1, 1, Duration.ofHours(1))).sentence())
        .isEqualTo("1 lease has expired, the first 1 h 0 min ago; 1 job is running.");
    assertThat(WorkChecks.leases(new LeaseFactsStatement.Facts(1, 0, null)).sentence())
        .isEqualTo("1 job runs under a lease.");
    assertThat(deadRows(1, 200_000).sentence())
        .isEqualTo("Table jobs has 200,000 dead rows beside 1 live row.");
  }

  private static String commandOf(Finding finding) {
    return Objects.requireNonNull(finding.fix()).command();
  }

  private static Finding settings(String fsync, String fullPageWrites, String synchronousCommit) {
    return ServerChecks.settings(
        new SettingsFactsStatement.Facts(fsync, fullPageWrites, synchronousCommit));
  }

  private static ServerFactsStatement.Facts server() {
    return new ServerFactsStatement.Facts(7, false, "app", NOW);
  }

  private static Finding connections(long used) {
    return ServerChecks.connections(new ConnectionFactsStatement.Facts(100, 3, used));
  }

  private static Finding horizon(List<HorizonStatement.Holder> holders) {
    return ServerChecks.horizon(holders, "Viewer");
  }

  private static HorizonStatement.Holder session(int age, Duration open) {
    return new HorizonStatement.Holder(
        "session", "4711", "app", age, NOW.minus(open), "SELECT 1", NOW);
  }

  private static Finding deadRows(long live, long dead) {
    return StorageChecks.deadRows(
        List.of(
            new TableFactsStatement.Facts("small", 10, 100, 10, 0),
            new TableFactsStatement.Facts("jobs", live, dead, live, 0)),
        false);
  }

  private static Finding indexSize(long rows, long megabytes) {
    return StorageChecks.indexSize(
        List.of(new TableFactsStatement.Facts("jobs", rows, 0, rows, megabytes << 20)), false);
  }

  private static Finding indexSizeAfterReset(long analyzed, long megabytes) {
    return StorageChecks.indexSize(
        List.of(new TableFactsStatement.Facts("jobs", 0, 0, analyzed, megabytes << 20)), false);
  }

  private static Finding partitions(List<String> names, @Nullable String pending) {
    List<PartitionFactsStatement.Facts> facts =
        Stream.concat(
                attached(names).stream(),
                pending == null
                    ? Stream.empty()
                    : Stream.of(new PartitionFactsStatement.Facts(pending, true)))
            .toList();
    return StorageChecks.partitions(facts, List.of(), NOW);
  }

  private static List<PartitionFactsStatement.Facts> attached(List<String> names) {
    return names.stream().map(name -> new PartitionFactsStatement.Facts(name, false)).toList();
  }
}
