package dev.skipjack.outbox.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.RelayStats;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishes events of a real outbox to real servers, most of which misbehave. */
@QueueTest
class HttpPublisherTest {

  private static final String SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0";
  private static final Duration SHORT = Duration.ofMillis(300);

  private QueueDatabase database;
  private Outbox outbox;

  @BeforeEach
  void connect(QueueDatabase database) {
    this.database = database;
    this.outbox =
        Outbox.on(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
  }

  @Test
  void requestHasPayloadHeadersAndSignature() throws Exception {
    Event event =
        Event.of("order", "Zürich 1%", "order-placed")
            .payload("{\"cents\": 700}".getBytes(UTF_8), "application/json; charset=utf-8")
            .header("tenant", "größe %2")
            .header("a:b/c", "d")
            .traceparent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    byte[] newSecret = "another secret of at least 24 bytes".getBytes(UTF_8);
    try (TestServer server = TestServer.responding(204)) {
      UUID id = record(event).get(0);

      RelayStats stats =
          publish(
              HttpPublisher.to(
                  HttpEndpoint.of(server.uri("/orders?shop=1"))
                      .secret(SECRET)
                      .secret(newSecret)
                      .header("Authorization", "Bearer token")));

      assertThat(stats.published()).isEqualTo(1);
      TestServer.Request request = server.requests.get(0);
      assertThat(request.line()).isEqualTo("POST /orders?shop=1 HTTP/1.1");
      assertThat(new String(request.body(), UTF_8)).isEqualTo("{\"cents\": 700}");
      assertThat(request.headers())
          .containsEntry("webhook-id", id.toString())
          .containsEntry("content-type", "application/json; charset=utf-8")
          .containsEntry("authorization", "Bearer token")
          .containsEntry("skipjack-event-type", "order-placed")
          .containsEntry("skipjack-aggregate-type", "order")
          .containsEntry("skipjack-aggregate-id", "Z%C3%BCrich%201%25")
          .containsEntry("skipjack-header-tenant", "gr%C3%B6%C3%9Fe%20%252")
          .containsEntry("skipjack-header-a-b-c", "d")
          .containsEntry("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
      String signed = id + "." + request.header("webhook-timestamp") + ".";
      byte[] message = concat(signed.getBytes(UTF_8), request.body());
      assertThat(request.header("webhook-signature").split(" "))
          .containsExactly(
              "v1," + hmac(Base64.getDecoder().decode(SECRET.substring(6)), message),
              "v1," + hmac(newSecret, message));
    }
  }

  @Test
  void requestWithoutSecretHasNoSignature() throws Exception {
    try (TestServer server = TestServer.responding(200)) {
      record(event(1));
      publish(HttpPublisher.to(server.endpoint()));
      assertThat(server.requests.get(0).headers()).doesNotContainKey("webhook-signature");
    }
  }

  @Test
  void eventsOfAnAggregateArriveInOrderAndOthersInParallel() throws Exception {
    int aggregates = 12;
    Set<String> inProgress = ConcurrentHashMap.newKeySet();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger overlaps = new AtomicInteger();
    try (TestServer server =
        new TestServer(
            (request, socket) -> {
              String aggregate = request.header("skipjack-aggregate-id");
              if (!inProgress.add(aggregate)) {
                overlaps.incrementAndGet();
              }
              most.accumulateAndGet(inProgress.size(), Math::max);
              if (most.get() < 3) { // until three requests are in progress
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> most.get() >= 3);
              }
              inProgress.remove(aggregate);
              TestServer.write(socket, 200);
            })) {
      List<Event> events = new ArrayList<>();
      for (int i = 0; i < 120; i++) {
        events.add(event(i % aggregates));
      }
      List<UUID> ids = record(events.toArray(Event[]::new));

      RelayStats stats = publish(HttpPublisher.to(server.endpoint()));

      assertThat(stats.published()).isEqualTo(120);
      List<String> arrived = server.ids();
      for (int aggregate = 0; aggregate < aggregates; aggregate++) {
        List<String> expected = new ArrayList<>();
        for (int i = aggregate; i < 120; i += aggregates) {
          expected.add(ids.get(i).toString());
        }
        assertThat(arrived.stream().filter(Set.copyOf(expected)::contains))
            .containsExactlyElementsOf(expected);
      }
      assertThat(overlaps).hasValue(0);
      assertThat(most.get()).isBetween(3, 8);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307, 401, 404, 409, 410, 500})
  void eventIsTriedAgainAndOnlyItsAggregateWaits(int status) throws Exception {
    try (TestServer server = failingFor("1", status)) {
      List<UUID> ids = record(event(1), event(1), event(2));

      RelayStats stats = publish(HttpPublisher.to(server.endpoint()));

      assertThat(stats.published()).isEqualTo(1);
      assertThat(stats.retried()).isEqualTo(1);
      assertThat(server.ids())
          .containsExactlyInAnyOrder(ids.get(0).toString(), ids.get(2).toString());
      assertThat(errorOf(ids.get(0))).startsWith("127.0.0.1 responded with HTTP status " + status);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 413, 415, 422})
  void eventThatTheEndpointRefusesIsDead(int status) throws Exception {
    try (TestServer server = failingFor("1", status)) {
      List<UUID> ids = record(event(1), event(1), event(2));

      RelayStats stats = publish(HttpPublisher.to(server.endpoint()));

      assertThat(stats.died()).isEqualTo(1);
      assertThat(stats.published()).isEqualTo(1);
      assertThat(outbox.admin().dead(10)).singleElement().extracting("id").isEqualTo(ids.get(0));
      assertThat(errorOf(ids.get(0))).contains("HTTP status " + status);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503, 504})
  void noAttemptCountsWhileTheEndpointIsUnavailable(int status) throws Exception {
    try (TestServer server = TestServer.responding(status)) {
      record(event(1), event(2), event(3), event(4));
      assertOutage(server.endpoint());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void attemptCountsIfOtherEventsAreAccepted(int status) throws Exception {
    try (TestServer server = failingFor("1", status, "Retry-After: 7")) {
      List<UUID> ids = record(event(2), event(3), event(1));

      RelayStats stats = publish(HttpPublisher.to(server.endpoint()).concurrency(1));

      assertThat(stats.published()).isEqualTo(2);
      assertThat(stats.retried()).isEqualTo(1);
      assertThat(errorOf(ids.get(2))).contains("HTTP status " + status);
    }
  }

  @Test
  void redirectIsNotFollowed() throws Exception {
    try (TestServer target = TestServer.responding(200);
        TestServer server = TestServer.responding(301, "Location: " + target.uri("/elsewhere"))) {
      UUID id = record(event(1)).get(0);
      publish(HttpPublisher.to(server.endpoint()));
      assertThat(target.requests).isEmpty();
      assertThat(errorOf(id)).contains("Redirects are not followed");
    }
  }

  @Test
  void clientThatFollowsRedirectsIsRefused() {
    HttpClient client = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NORMAL).build();
    HttpPublisher.Builder builder =
        HttpPublisher.to(HttpEndpoint.of(URI.create("https://example.com/")));
    assertThatThrownBy(() -> builder.client(client))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Redirect.NEVER");
  }

  @Test
  void serverThatHangsIsUnavailable() throws Exception {
    try (TestServer server = TestServer.silent()) {
      record(event(1), event(2), event(3), event(4));
      assertOutage(server.endpoint());
    }
  }

  @Test
  void serverThatResetsConnectionsIsUnavailable() throws Exception {
    try (TestServer server = new TestServer((request, socket) -> socket.setSoLinger(true, 0))) {
      record(event(1), event(2), event(3), event(4));
      assertOutage(server.endpoint());
    }
  }

  @Test
  void serverThatRespondsWithGarbageIsUnavailable() throws Exception {
    try (TestServer server =
        new TestServer(
            (request, socket) -> TestServer.writeRaw(socket, "\0\1\2 not HTTP at all\r\n\r\n"))) {
      record(event(1), event(2), event(3), event(4));
      assertOutage(server.endpoint());
    }
  }

  @Test
  void responseThatIsNotHttpIsNotQuoted() throws Exception {
    try (TestServer server =
        new TestServer(
            (request, socket) -> {
              if (request.header("skipjack-aggregate-id").equals("1")) {
                TestServer.writeRaw(socket, "\u001b[31mEVIL SSH-2.0 secret banner\r\n\r\n");
              } else {
                TestServer.write(socket, 200);
              }
            })) {
      List<UUID> ids = record(event(1), event(2));
      publish(HttpPublisher.to(server.endpoint()));
      assertThat(errorOf(ids.get(0))).matches("Sending to 127\\.0\\.0\\.1 failed with [A-Za-z]+");
    }
  }

  @Test
  void portWithoutServerIsUnavailable() throws Exception {
    HttpEndpoint nowhere;
    try (TestServer server = TestServer.responding(200)) {
      nowhere = server.endpoint();
    }
    record(event(1), event(2));
    assertOutage(nowhere);
  }

  @Test
  void serverThatHangsGetsFewRequestsInABatch() throws Exception {
    try (TestServer server = TestServer.silent()) {
      record(IntStream.range(0, 100).mapToObj(i -> event(i)).toArray(Event[]::new));
      publish(HttpPublisher.to(server.endpoint()).timeout(SHORT).concurrency(2));
      // In the batch, 3 requests fail while a fourth one is in progress. Then 3 follow one by one.
      assertThat(server.requests).hasSizeLessThanOrEqualTo(7);
    }
  }

  @ParameterizedTest
  @CsvSource({"200, 1, 0", "500, 0, 1"})
  void statusCountsEvenIfTheBodyNeverEnds(int status, long published, long retried)
      throws Exception {
    try (TestServer server =
        new TestServer(
            (request, socket) -> {
              TestServer.writeRaw(
                  socket, "HTTP/1.1 %d Status\r\nContent-Length: 1000\r\n\r\nab".formatted(status));
              Thread.sleep(Long.MAX_VALUE);
            })) {
      record(event(1));
      RelayStats stats = publish(HttpPublisher.to(server.endpoint()).timeout(SHORT));
      assertThat(stats.published()).isEqualTo(published);
      assertThat(stats.retried()).isEqualTo(retried);
    }
  }

  @Test
  void endlessBodyIsCutOff() throws Exception {
    try (TestServer server =
        new TestServer(
            (request, socket) -> {
              TestServer.writeRaw(socket, "HTTP/1.1 200 OK\r\n\r\n");
              while (true) {
                TestServer.writeRaw(socket, "x".repeat(8_192));
              }
            })) {
      record(event(1));
      RelayStats stats =
          publish(HttpPublisher.to(server.endpoint()).timeout(Duration.ofMinutes(5)));
      assertThat(stats.published()).isEqualTo(1);
    }
  }

  @Test
  void nothingIsSentBeforeTheTimeThatTheEndpointAskedFor() throws Exception {
    try (TestServer busy =
            TestServer.responding(
                429,
                "Date: Mon, 01 Jan 2024 10:00:00 GMT",
                "Retry-After: Mon, 01 Jan 2024 11:00:00 GMT");
        TestServer other = TestServer.responding(200)) {
      record(event(1), event(1), event(2), event(3));
      Map<String, HttpEndpoint> endpoints =
          Map.of("1", busy.endpoint(), "2", busy.endpoint(), "3", other.endpoint());
      try (HttpPublisher publisher =
          HttpPublisher.to(event -> endpoints.get(event.aggregate().id()))
              .concurrency(1)
              .allowPrivateAddresses()
              .build()) {
        Relay relay = relay(publisher);
        relay.runUntilIdle();
        record(event(1), event(2), event(3));
        relay.runUntilIdle();
        relay.runUntilIdle();

        assertThat(busy.requests).hasSize(1);
        assertThat(relay.stats().published()).isEqualTo(2);
      }
    }
  }

  /**
   * The events of the paused endpoint are older than all others, and fill the batches of every
   * shard.
   */
  @Test
  void pausedEndpointDoesNotDelayTheEventsOfOthers() throws Exception {
    try (TestServer busy = TestServer.responding(429, "Retry-After: 3600");
        TestServer other = TestServer.responding(200);
        HttpPublisher publisher =
            HttpPublisher.to(
                    event -> (event.aggregate().type().equals("busy") ? busy : other).endpoint())
                .allowPrivateAddresses()
                .build()) {
      for (int i = 0; i < 200; i++) {
        record(Event.of("busy", i, "order-placed"));
      }
      for (int i = 0; i < 40; i++) {
        record(event(i));
      }
      Relay relay = outbox.relay(publisher).shards(32).batchSize(64).build();
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .until(
              () -> {
                relay.runUntilIdle();
                return relay.stats().published() == 40;
              });
      assertThat(busy.requests).hasSizeLessThanOrEqualTo(32);
      assertThat(
              value(
                  "SELECT bool_and(retry_at > now() + interval '50 min') FROM @outbox_blocked"
                      + " WHERE aggregate_id <> ALL (SELECT aggregate_id FROM @outbox_events"
                      + " WHERE attempts > 0)"))
          .isEqualTo("t");
    }
  }

  @Test
  void privateAddressIsRefusedUnlessAllowed() throws Exception {
    try (TestServer server = TestServer.responding(200)) {
      UUID id = record(event(1)).get(0);
      try (HttpPublisher publisher = HttpPublisher.to(server.endpoint()).build()) {
        relay(publisher).runUntilIdle();
      }
      assertThat(server.requests).isEmpty();
      assertThat(errorOf(id))
          .contains("127.0.0.1 has the address 127.0.0.1, which is not public")
          .contains("allowPrivateAddresses()");
    }
  }

  @Test
  void eventWithoutEndpointIsTriedAgain() throws Exception {
    try (TestServer server = TestServer.responding(200)) {
      List<UUID> ids = record(event(1), event(2));

      RelayStats stats =
          publish(
              HttpPublisher.to(
                  event -> event.aggregate().id().equals("1") ? null : server.endpoint()));

      assertThat(stats.published()).isEqualTo(1);
      assertThat(errorOf(ids.get(0))).contains("No endpoint was found for the event");
    }
  }

  @Test
  void errorOfTheFunctionIsReportedAndOtherEventsAreSent() throws Exception {
    try (TestServer server = TestServer.responding(200)) {
      List<UUID> ids = record(event(1), event(2));

      RelayStats stats =
          publish(
              HttpPublisher.to(
                  event -> {
                    if (event.aggregate().id().equals("1")) {
                      throw new NoClassDefFoundError("example/Tenants");
                    }
                    return server.endpoint();
                  }));

      assertThat(stats.published()).isEqualTo(1);
      assertThat(errorOf(ids.get(0))).contains("NoClassDefFoundError: example/Tenants");
    }
  }

  @Test
  void invalidUriIsNotQuoted() throws Exception {
    UUID id = record(event(1)).get(0);

    publish(
        HttpPublisher.to(
            event -> HttpEndpoint.of(URI.create("https://example.com/path-secret/a b"))));

    assertThat(errorOf(id))
        .contains("The URI of the endpoint is not valid: Illegal character in path at index 33")
        .doesNotContain("path-secret");
  }

  @Test
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  void closingThePublisherEndsBatchesThatWaitForAThread() throws Exception {
    try (TestServer server = TestServer.silent()) {
      HttpPublisher publisher =
          HttpPublisher.to(server.endpoint())
              .concurrency(1)
              .timeout(Duration.ofMinutes(10))
              .allowPrivateAddresses()
              .build();
      for (int i = 0; i < 64; i++) {
        record(event(i));
      }
      CountDownLatch waiting = new CountDownLatch(2);
      CountDownLatch ended = new CountDownLatch(2);
      Relay relay =
          outbox
              .relay(
                  batch -> {
                    waiting.countDown();
                    try {
                      return publisher.publish(batch);
                    } finally {
                      ended.countDown();
                    }
                  })
              .threads(2)
              .publishTimeout(Duration.ofMillis(1))
              .build()
              .start();
      waiting.await();
      Awaitility.await().until(() -> server.requests.size() == 1);

      publisher.close();

      ended.await();
      relay.close();
    }
  }

  @Test
  void interruptAbortsRequests() throws Exception {
    try (TestServer server = TestServer.silent();
        HttpPublisher publisher =
            HttpPublisher.to(server.endpoint())
                .timeout(Duration.ofMinutes(10))
                .allowPrivateAddresses()
                .build()) {
      record(event(1));
      Relay relay = outbox.relay(publisher).publishTimeout(Duration.ofMillis(1)).build().start();
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> server.requests.size() == 1);
      relay.close();
      assertThat(Thread.getAllStackTraces().keySet())
          .noneMatch(thread -> thread.getName().endsWith("-relay-1") && thread.isAlive());
    }
  }

  @Test
  void closedPublisherReportsThatItIsClosed() throws Exception {
    HttpPublisher publisher =
        HttpPublisher.to(HttpEndpoint.of(URI.create("https://example.com/"))).build();
    publisher.close();
    record(event(1));
    List<Exception> refusals = new ArrayList<>();
    relay(
            batch -> {
              try {
                return publisher.publish(batch);
              } catch (IllegalStateException refused) {
                refusals.add(refused);
                throw refused;
              }
            })
        .runUntilIdle();
    assertThat(refusals).isNotEmpty().first().extracting("message").asString().contains("closed");
  }

  @Test
  void secretsAppearNeitherInErrorsNorInLogs() throws Exception {
    String path = "/T0123/path-secret?token=query-secret";
    HttpEndpoint nowhere;
    try (TestServer server = TestServer.responding(200)) {
      nowhere = HttpEndpoint.of(server.uri(path));
    }
    PrintStream err = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true, UTF_8));
    List<String> errors = new ArrayList<>();
    try (TestServer failing = TestServer.responding(500);
        TestServer silent = TestServer.silent();
        TestServer garbage =
            new TestServer((request, socket) -> TestServer.writeRaw(socket, "garbage\r\n\r\n"))) {
      List<HttpEndpoint> endpoints =
          List.of(
              nowhere,
              HttpEndpoint.of(failing.uri(path)),
              HttpEndpoint.of(silent.uri(path)),
              HttpEndpoint.of(garbage.uri(path)),
              HttpEndpoint.of(URI.create("http://no-such-host.invalid" + path)));
      for (HttpEndpoint endpoint : endpoints) {
        HttpEndpoint signed =
            endpoint.secret(SECRET).header("Authorization", "Bearer header-secret");
        UUID id = record(event(UUID.randomUUID())).get(0);
        publish(HttpPublisher.to(signed).timeout(SHORT));
        errors.add(errorOf(id));
        errors.add(signed.toString());
      }
    } finally {
      System.setErr(err);
    }

    String all = errors + logged.toString(UTF_8);
    assertThat(all)
        .contains("Publisher failed", "127.0.0.1 responded with HTTP status 500")
        .doesNotContain("path-secret", "query-secret", "header-secret", SECRET.substring(6))
        .doesNotContain(new String(Base64.getDecoder().decode(SECRET.substring(6)), UTF_8));
  }

  private void assertOutage(HttpEndpoint endpoint) throws Exception {
    RelayStats stats = publish(HttpPublisher.to(endpoint).timeout(SHORT));
    assertThat(stats.outages()).isPositive();
    assertThat(stats.published()).isZero();
    assertThat(stats.retried()).isZero();
    assertThat(value("SELECT max(attempts) FROM @outbox_events")).isEqualTo("0");
  }

  /** Returns a server that fails for one aggregate and accepts the events of all others. */
  private static TestServer failingFor(String aggregate, int status, String... headers)
      throws Exception {
    return new TestServer(
        (request, socket) -> {
          boolean fails = request.header("skipjack-aggregate-id").equals(aggregate);
          TestServer.write(socket, fails ? status : 200, fails ? headers : new String[0]);
        });
  }

  private RelayStats publish(HttpPublisher.Builder builder) throws InterruptedException {
    try (HttpPublisher publisher = builder.allowPrivateAddresses().build()) {
      Relay relay = relay(publisher);
      relay.runUntilIdle();
      return relay.stats();
    }
  }

  private Relay relay(Publisher publisher) {
    return outbox.relay(publisher).shards(32).backoff(Backoff.fixed(Duration.ofHours(1))).build();
  }

  private static Event event(Object aggregateId) {
    return Event.of("order", aggregateId, "order-placed");
  }

  private List<UUID> record(Event... events) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      List<UUID> ids = outbox.in(connection).recordAll(List.of(events));
      connection.commit();
      return ids;
    }
  }

  private String errorOf(UUID id) throws SQLException {
    return value("SELECT last_error FROM @outbox_events WHERE event_id = '%s'".formatted(id));
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

  /** Computes HMAC-SHA256 as in RFC 2104, because the publisher uses the JDK's. */
  private static String hmac(byte[] key, byte[] message) throws Exception {
    byte[] inner = new byte[64];
    byte[] outer = new byte[64];
    Arrays.fill(inner, (byte) 0x36);
    Arrays.fill(outer, (byte) 0x5c);
    for (int i = 0; i < key.length; i++) {
      inner[i] ^= key[i];
      outer[i] ^= key[i];
    }
    MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
    byte[] first = sha256.digest(concat(inner, message));
    return Base64.getEncoder().encodeToString(sha256.digest(concat(outer, first)));
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }
}
