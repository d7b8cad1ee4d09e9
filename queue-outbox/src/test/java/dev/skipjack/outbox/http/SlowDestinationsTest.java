package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests destinations that respond late or never, and lookups of endpoints that fail or hang. */
@QueueTest
class SlowDestinationsTest {

  private static final int HOSTILE = 40;

  private QueueDatabase database;
  private Outbox outbox;
  private final List<TestServer> silent = new ArrayList<>();

  @BeforeEach
  void connect(QueueDatabase database) {
    this.database = database;
    this.outbox =
        Outbox.on(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
  }

  @AfterEach
  void closeServers() throws Exception {
    for (TestServer server : silent) {
      server.close();
    }
  }

  private void openSilentServers() throws Exception {
    for (int i = 0; i < HOSTILE; i++) {
      silent.add(TestServer.silent());
    }
  }

  /** The requests to the silent servers do not end within the time of the batch. */
  @Test
  void silentServersDoNotHoldUpTheBatchOfAHealthyOne() throws Exception {
    openSilentServers();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher = publisher(healthy, Duration.ofMinutes(10))) {
      recordHostile(3);
      recordHealthy(200);
      try (Relay relay = outbox.relay(publisher).shards(32).batchSize(10_000).build().start()) {
        awaitUntil(() -> healthy.requests.size() == 200);
        assertThat(hostileRequests()).as("all still in progress").isPositive();
        assertThat(relay.stats().retried()).as("none has ended").isZero();
      }
      assertThat(healthy.ids()).doesNotHaveDuplicates();
      assertThat(count("outbox_published")).as("recorded when the relay is closed").isEqualTo(200);
    }
  }

  /** Batches with events only for silent servers end before a request does. */
  @Test
  void anOlderBacklogForSilentServersDoesNotHoldUpAHealthyOne() throws Exception {
    openSilentServers();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher = publisher(healthy, Duration.ofMinutes(10))) {
      recordHostile(30); // older, and more than a batch has
      recordHealthy(200);
      try (Relay relay = outbox.relay(publisher).shards(32).build().start()) {
        awaitUntil(() -> relay.stats().published() == 200);
        assertThat(relay.stats().retried()).as("none has ended").isZero();
        assertThat(hostileRequests()).as("each server got one").isGreaterThanOrEqualTo(HOSTILE);
      }
      assertThat(healthy.ids()).doesNotHaveDuplicates();
    }
  }

  @Test
  void aBacklogForSilentServersIsPostponedAndItsFailedAttemptsAreRecorded() throws Exception {
    openSilentServers();
    AtomicInteger batches = new AtomicInteger();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher = publisher(healthy, Duration.ofSeconds(1))) {
      recordHostile(30); // older, and more than a batch has
      recordHealthy(400);
      try (Relay relay =
          outbox
              .relay(
                  batch -> {
                    batches.incrementAndGet();
                    return publisher.publish(batch);
                  })
              .shards(32)
              .backoff(Backoff.fixed(Duration.ofMinutes(10)))
              .build()
              .start()) {
        awaitUntil(() -> relay.stats().published() == 400);
        // 1,600 events are read once, in batches of 500, together with retries.
        assertThat(batches.get()).isLessThanOrEqualTo(15);
        assertThat(relay.stats().unrecorded()).isZero();
        awaitUntil(() -> relay.stats().retried() >= HOSTILE);
      }
      assertThat(healthy.ids()).hasSize(400).doesNotHaveDuplicates();
      assertThat(
              value(
                  "SELECT count(*) FROM @outbox_events WHERE attempts > 0 AND last_error LIKE"
                      + " '%did not respond within%'"))
          .satisfies(failed -> assertThat(Long.parseLong(failed)).isGreaterThanOrEqualTo(HOSTILE));
    }
  }

  /**
   * Each response takes a sixth of the timeout. When only slow servers have events left, new
   * requests begin only for a shorter time.
   */
  @Test
  void aBatchWithOnlySlowServersBeginsFewRequestsAndThenLetsThemRest() throws Exception {
    List<PublishResult> results = Collections.synchronizedList(new ArrayList<>());
    try (TestServer slow =
            new TestServer(
                (request, socket) -> {
                  Thread.sleep(5_000); // a slow response
                  TestServer.write(socket, 204);
                });
        HttpPublisher publisher = publisher(event -> slow.endpoint(), Duration.ofSeconds(30))) {
      recordHostile(2);
      Relay relay =
          outbox
              .relay(
                  batch -> {
                    List<PublishResult> batchResults = publisher.publish(batch);
                    results.addAll(batchResults);
                    return batchResults;
                  })
              .shards(32)
              .build();
      relay.runUntilIdle();

      assertThat(relay.stats().published()).isPositive().isEqualTo(slow.requests.size());
      assertThat(slow.requests).as("at most eight in a second, twice").hasSizeLessThanOrEqualTo(16);
      assertThat(results).hasSize(2 * HOSTILE);
      List<PublishResult> rest =
          results.stream().filter(each -> each.kind() != PublishResult.Kind.SENT).toList();
      assertThat(rest)
          .allSatisfy(
              each -> {
                assertThat(each.kind()).isEqualTo(PublishResult.Kind.POSTPONED);
                assertThat(each.delay()).as("they rest").isGreaterThan(Duration.ofSeconds(1));
              });
    }
  }

  /** If events have several endpoints, failures count even if no server has responded. */
  @Test
  void eachFailureOfABatchOfSilentServersIsAnAttempt() throws Exception {
    openSilentServers();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher = publisher(healthy, Duration.ofSeconds(1))) {
      recordHostile(1);
      Relay relay =
          outbox.relay(publisher).shards(32).backoff(Backoff.fixed(Duration.ofMinutes(10))).build();
      relay.runUntilIdle();
      assertThat(relay.stats().outages()).isZero();
      assertThat(relay.stats().retried()).isPositive().isEqualTo(hostileRequests());
      assertThat(value("SELECT max(attempts) FROM @outbox_events")).isEqualTo("1");
    }
  }

  /** Otherwise the event would be sent in each batch forever. */
  @Test
  void aRequestThatUsedMostOfTheTimeOfItsBatchIsAnAttempt() throws Exception {
    openSilentServers();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher = publisher(healthy, Duration.ofMinutes(10))) {
      record(Event.of("hostile", "0/0", "order-placed"));
      Relay relay =
          outbox
              .relay(publisher)
              .shards(32)
              .lease(Duration.ofSeconds(12))
              .publishTimeout(Duration.ofSeconds(1))
              .backoff(Backoff.fixed(Duration.ofMinutes(10)))
              .build();
      relay.runUntilIdle();
      assertThat(relay.stats().retried()).isEqualTo(1);
      assertThat(relay.stats().unrecorded()).isZero();
      assertThat(value("SELECT max(last_error) FROM @outbox_events"))
          .contains("127.0.0.1 did not respond within", "when the time of the batch had passed");
    }
  }

  /** If only failures had a time limit, this server would use the time of every batch. */
  @Test
  void aServerThatAcceptsEventsSlowlyDoesNotHoldUpAHealthyOne() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (TestServer slow =
            new TestServer(
                (request, socket) -> {
                  boolean unused = end.await(800, TimeUnit.MILLISECONDS);
                  TestServer.write(socket, 204);
                });
        TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher =
            HttpPublisher.to(event -> (isHostile(event) ? slow : healthy).endpoint())
                .timeout(Duration.ofSeconds(2))
                .allowPrivateAddresses()
                .build()) {
      recordHostile(20); // 800 events, which take 80 s with 8 at once
      recordHealthy(300);
      try (Relay relay = outbox.relay(publisher).shards(32).build().start()) {
        awaitUntil(() -> healthy.requests.size() == 300 && relay.stats().published() > 300);
        assertThat(slow.requests).hasSizeLessThan(400);
        end.countDown();
        awaitUntil(() -> relay.stats().published() == 1_100);
        assertThat(relay.stats().retried()).as("it never failed").isZero();
      }
      assertThat(slow.ids()).hasSize(800).doesNotHaveDuplicates();
    }
  }

  @Test
  void aFunctionThatThrowsACheckedExceptionFailsForItsEventsOnly() throws Exception {
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher =
            publisher(
                event -> {
                  if (isHostile(event)) {
                    throw sneaky(new SQLException("no connection"));
                  }
                  return healthy.endpoint();
                },
                Duration.ofSeconds(10))) {
      recordHostile(10); // more than there are threads
      recordHealthy(20);
      Relay relay =
          outbox.relay(publisher).shards(32).backoff(Backoff.fixed(Duration.ofMinutes(10))).build();
      relay.runUntilIdle();
      assertThat(relay.stats().published()).isEqualTo(20);
      assertThat(relay.stats().retried()).isEqualTo(400);
      assertThat(value("SELECT max(last_error) FROM @outbox_events"))
          .isEqualTo("The event was not sent: java.sql.SQLException: no connection");
    }
  }

  @Test
  void aFunctionThatHangsFailsForItsEventsOnly() throws Exception {
    Set<String> interrupted = ConcurrentHashMap.newKeySet();
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher =
            publisher(
                event -> {
                  if (isHostile(event)) {
                    try {
                      new CountDownLatch(1).await();
                    } catch (InterruptedException aborted) {
                      interrupted.add(event.aggregate().id());
                    }
                  }
                  return healthy.endpoint();
                },
                Duration.ofSeconds(1))) {
      record(Event.of("hostile", "0/0", "order-placed"));
      recordHealthy(20);
      Relay relay =
          outbox.relay(publisher).shards(32).backoff(Backoff.fixed(Duration.ofMinutes(10))).build();
      relay.runUntilIdle();
      assertThat(relay.stats().published()).isEqualTo(20);
      assertThat(value("SELECT max(last_error) FROM @outbox_events"))
          .contains("did not return its endpoint");
      awaitUntil(() -> interrupted.contains("0/0"));
    }
  }

  @Test
  void lookupsThatHangDoNotHoldUpThoseOfOtherEvents() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    try (TestServer healthy = TestServer.responding(204);
        HttpPublisher publisher =
            publisher(
                event -> {
                  if (isHostile(event)) {
                    boolean unused = awaitEnd(end);
                    throw new IllegalStateException("no endpoint");
                  }
                  return healthy.endpoint();
                },
                Duration.ofMinutes(10));
        Relay relay = outbox.relay(publisher).shards(32).build()) {
      recordHostile(1); // five times as many as there are slots
      recordHealthy(20);
      Relay unused = relay.start();
      awaitUntil(() -> healthy.requests.size() == 20);
      assertThat(relay.stats().retried()).as("none has ended").isZero();
      end.countDown();
      awaitUntil(() -> relay.stats().retried() >= HOSTILE);
    }
  }

  private static boolean awaitEnd(CountDownLatch end) {
    try {
      return end.await(10, TimeUnit.MINUTES);
    } catch (InterruptedException aborted) {
      throw new IllegalStateException(aborted);
    }
  }

  private HttpPublisher publisher(TestServer healthy, Duration timeout) {
    return publisher(
        event ->
            isHostile(event)
                ? silent.get(Integer.parseInt(event.aggregate().id().split("/", 2)[0])).endpoint()
                : healthy.endpoint(),
        timeout);
  }

  private static HttpPublisher publisher(
      Function<RecordedEvent, HttpEndpoint> endpoints, Duration timeout) {
    return HttpPublisher.to(endpoints).timeout(timeout).allowPrivateAddresses().build();
  }

  private static boolean isHostile(RecordedEvent event) {
    return event.aggregate().type().equals("hostile");
  }

  private int hostileRequests() {
    return silent.stream().mapToInt(server -> server.requests.size()).sum();
  }

  private void recordHostile(int each) throws SQLException {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      for (int server = 0; server < HOSTILE; server++) {
        events.add(Event.of("hostile", server + "/" + i, "order-placed"));
      }
    }
    record(events.toArray(Event[]::new));
  }

  private void recordHealthy(int number) throws SQLException {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      events.add(Event.of("healthy", i, "order-placed"));
    }
    record(events.toArray(Event[]::new));
  }

  private void record(Event... events) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      outbox.in(connection).recordAll(List.of(events));
      connection.commit();
    }
  }

  private long count(String table) throws SQLException {
    return Long.parseLong(value("SELECT count(*) FROM @" + table));
  }

  private String value(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(sql.replace("@", "\"" + database.schema() + "\"."))) {
      assertThat(row.next()).as(sql).isTrue();
      return String.valueOf(row.getString(1));
    }
  }

  private static void awaitUntil(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(condition);
  }

  /** Throws an undeclared checked exception, as Kotlin code can. */
  @SuppressWarnings("unchecked") // the cast is erased
  private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
