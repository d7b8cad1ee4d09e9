package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Runs relays in three processes and kills one after another while it publishes a batch. No event
 * is missed, none of a rolled-back transaction is published, the first copies of each aggregate
 * arrive in order, and only events of the last batch of a killed relay arrive more than once.
 */
@QueueTest
@DisabledOnOs(OS.WINDOWS) // no SIGKILL
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class KilledRelaysIT {

  private static final int RELAYS = 3;
  private static final int PRODUCERS = 4;
  private static final int TRANSACTIONS = 25;
  private static final int AGGREGATES = 30;
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A copy of an event that arrived. */
  private record Copy(UUID event, String relay) {}

  private final QueueDatabase database;
  private final Fixture fixture;
  private final Random random = new Random(4_711);
  private final Map<String, ForkedJvm> relays = new HashMap<>();
  private final Set<String> killed = new HashSet<>();
  private final ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);

  KilledRelaysIT(QueueDatabase database) {
    this.database = database;
    this.fixture = new Fixture(database);
  }

  @BeforeEach
  void start() {
    fixture.execute(
        "CREATE TABLE @destination (copy bigserial PRIMARY KEY, event_id uuid NOT NULL, relay text NOT NULL)");
    for (int n = 0; n < RELAYS; n++) {
      fork();
    }
    relays.values().forEach(relay -> relay.awaitLine(RelayProcess.READY, PATIENCE));
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    relays.values().forEach(ForkedJvm::close);
    fixture.execute("DROP TABLE @destination");
  }

  private void fork() {
    String name = "relay-" + (relays.size() + killed.size());
    relays.put(
        name,
        ForkedJvm.of(RelayProcess.class)
            .arguments(database.jdbcUrl(), fixture.inSchema("@"), database.schema(), name)
            .option("-Xmx96m")
            .option("-XX:+UseSerialGC")
            .option("-XX:TieredStopAtLevel=1")
            .option("-Dorg.jooq.no-logo=true")
            .option("-Dorg.jooq.no-tips=true")
            .start());
  }

  @Test
  void aFewKillsLoseNoEvent() throws Exception {
    killWhilePublishing(4);
  }

  @Test
  @Tag("soak")
  void aHundredKillsLoseNoEvent() throws Exception {
    int surplus = killWhilePublishing(100);

    assertThat(surplus).as("kills between publishing and recording").isPositive();
  }

  /** Kills a relay in each round. Returns the number of surplus copies. */
  private int killWhilePublishing(int rounds) throws Exception {
    OrderedProducer producer = new OrderedProducer(fixture, AGGREGATES);
    try {
      for (int round = 0; round < rounds; round++) {
        Map<String, Long> before = batches();
        List<Future<?>> producing = produce(producer);
        kill(awaitBatch(before));
        for (Future<?> each : producing) {
          each.get();
        }
      }
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                killed.forEach(this::expireLeases);
                return fixture.count("outbox_events") == 0;
              });
    } finally {
      threads.shutdownNow();
      assertThat(threads.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      producer.dropTable();
    }

    List<Copy> copies = copies();
    List<UUID> arrived = copies.stream().map(Copy::event).toList();
    assertThat(Set.copyOf(arrived))
        .as("missed, or published after a rollback")
        .isEqualTo(producer.committed());
    assertThat(producer.firstOutOfOrder(arrived)).isEmpty();
    return checkDuplicates(copies);
  }

  private List<Future<?>> produce(OrderedProducer producer) {
    List<Future<?>> producing = new ArrayList<>();
    for (int n = 0; n < PRODUCERS; n++) {
      Random seeded = new Random(random.nextLong());
      producing.add(
          threads.submit(
              () -> {
                producer.run(seeded, TRANSACTIONS);
                return null;
              }));
    }
    return producing;
  }

  /** Returns how many batches each relay has begun to publish. */
  private Map<String, Long> batches() {
    return relays.entrySet().stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey,
                relay ->
                    relay.getValue().lines().stream()
                        .filter(RelayProcess.SENDING::equals)
                        .count()));
  }

  /** Returns the name of a relay that has begun a batch. */
  private String awaitBatch(Map<String, Long> before) {
    List<String> found = new ArrayList<>();
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1))
        .until(
            () -> {
              batches().entrySet().stream()
                  .filter(relay -> relay.getValue() > before.getOrDefault(relay.getKey(), 0L))
                  .map(Map.Entry::getKey)
                  .findFirst()
                  .ifPresent(found::add);
              return !found.isEmpty();
            });
    return found.get(0);
  }

  /** Kills a relay, lets its leases expire, and starts another one. */
  private void kill(String name) {
    LockSupport.parkNanos(random.nextInt(10_000_000));
    ForkedJvm relay = Objects.requireNonNull(relays.remove(name));
    relay.kill();
    relay.close();
    killed.add(name);
    expireLeases(name);
    fork();
  }

  /**
   * Expires the leases of a killed relay. The other leases are so long that a slow machine does not
   * lose them. The server may still execute a statement that the killed relay has sent, so this is
   * repeated until all events have arrived.
   */
  private void expireLeases(String relay) {
    fixture.execute(
        "UPDATE @outbox_shards SET lease_expires_at = clock_timestamp() WHERE leased_by = '%s' AND lease_expires_at IS NOT NULL"
            .formatted(relay));
  }

  private List<Copy> copies() throws SQLException {
    List<Copy> copies = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                fixture.inSchema("SELECT event_id, relay FROM @destination ORDER BY copy"))) {
      while (rows.next()) {
        copies.add(new Copy(rows.getObject(1, UUID.class), rows.getString(2)));
      }
    }
    return copies;
  }

  /**
   * Checks that all copies of an event but one come from killed relays, which could not record
   * their last batch. Returns the number of surplus copies.
   */
  private int checkDuplicates(List<Copy> copies) {
    Map<UUID, List<String>> senders =
        copies.stream()
            .collect(
                Collectors.groupingBy(
                    Copy::event, Collectors.mapping(Copy::relay, Collectors.toList())));
    assertThat(senders)
        .allSatisfy(
            (event, relays) ->
                assertThat(relays.stream().filter(relay -> !killed.contains(relay)).count())
                    .isLessThanOrEqualTo(1));
    int surplus = copies.size() - senders.size();
    assertThat(surplus).isLessThanOrEqualTo(RelayProcess.BATCH * killed.size());
    return surplus;
  }
}
