package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static java.util.Locale.ROOT;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class RecordTest {

  record Total(long cents) {}

  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

  private Fixture fixture;
  private final RecordingPublisher publisher = new RecordingPublisher();

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private RecordedEvent published() throws InterruptedException {
    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
    }
    return publisher.sent.get(0);
  }

  @Test
  void everyPartOfAnEventReachesThePublisher() throws Exception {
    Instant before = Instant.now();
    UUID id =
        fixture.inTransaction(
            connection ->
                fixture
                    .outbox
                    .in(connection)
                    .record(
                        event("4\"2\\,{ü", "order-placed")
                            .payload(new Total(700))
                            .header("tenant", "a\"b\\c,{}")
                            .header("empty", "")
                            .header("null", "NULL")
                            .traceparent(TRACE)));

    RecordedEvent event = published();

    assertThat(event.id()).isEqualTo(id);
    assertThat(id.version()).isEqualTo(7);
    assertThat(id.getMostSignificantBits() >>> 16)
        .isBetween(before.toEpochMilli(), System.currentTimeMillis());
    assertThat(event.aggregate()).isEqualTo(new Aggregate("order", "4\"2\\,{ü"));
    assertThat(event.type()).isEqualTo("order-placed");
    assertThat(event.text()).isEqualTo("{\"cents\":700}");
    assertThat(event.contentType()).isEqualTo("application/json");
    assertThat(event.headers())
        .isEqualTo(Map.of("tenant", "a\"b\\c,{}", "empty", "", "null", "NULL"));
    assertThat(event.traceparent()).isEqualTo(TRACE);
    assertThat(event.failures()).isZero();
    assertThat(event.recordedAt())
        .isBetween(before.minusSeconds(60), Instant.now().plusSeconds(60));
  }

  @Test
  void bytesArePublishedUnchanged() throws Exception {
    byte[] bytes = {0, 1, -1, '\\', 'x', 127};
    fixture.record(event(1, "a").payload(bytes, "application/avro"));

    RecordedEvent event = published();

    assertThat(event.payload()).isEqualTo(bytes);
    assertThat(event.contentType()).isEqualTo("application/avro");
  }

  @Test
  void anEventOfATransactionThatIsRolledBackIsNeverPublished() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      fixture.outbox.in(connection).record(event(1, "rolled-back"));
      connection.rollback();
    }
    fixture.record(event(1, "committed"));

    published();

    assertThat(publisher.types()).containsExactly("committed");
  }

  @Test
  void eventsAreRecordedInAJooqTransaction() throws Exception {
    DSL.using(fixture.database.dataSource(), SQLDialect.POSTGRES)
        .transaction(tx -> fixture.outbox.in(tx.dsl()).record(event(1, "by-jooq")));

    assertThat(published().type()).isEqualTo("by-jooq");
  }

  @Test
  void manyEventsKeepTheirOrder() throws Exception {
    List<Event> events =
        IntStream.range(0, 1_203).mapToObj(i -> event(1, "e" + i).header("n", "" + i)).toList();

    List<UUID> ids =
        fixture.inTransaction(connection -> fixture.outbox.in(connection).recordAll(events));
    published();

    assertThat(publisher.sent).extracting(RecordedEvent::id).containsExactlyElementsOf(ids);
    assertThat(publisher.types())
        .containsExactlyElementsOf(events.stream().map(Event::type).toList());
  }

  @Test
  void recordingNoEventsSendsNoStatement() {
    List<UUID> ids =
        fixture.inTransaction(connection -> fixture.outbox.in(connection).recordAll(List.of()));

    assertThat(ids).isEmpty();
  }

  @Test
  void aConnectionWithoutATransactionIsRejected() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      assertThatThrownBy(() -> fixture.outbox.in(connection).record(event(1, "a")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auto-commit");
    }
    assertThat(fixture.count("outbox_events")).isZero();
  }

  @Test
  void theDatabaseErrorOfAnAbortedTransactionIsReported() throws Exception {
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(() -> connection.createStatement().execute("SELECT 1/0")).isNotNull();
      assertThatThrownBy(() -> fixture.outbox.in(connection).record(event(1, "a")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("25P02");
      connection.rollback();
    }
  }

  @Test
  void aPayloadThatIsTooLargeIsRejectedBeforeAnySql() {
    Event large = event(1, "a").payload(new byte[Event.LARGEST_PAYLOAD + 1], "x/y");

    fixture.inTransaction(
        connection -> {
          assertThatThrownBy(() -> fixture.outbox.in(connection).record(large))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("1048577 bytes");
          return fixture.outbox.in(connection).record(event(1, "small"));
        });

    assertThat(fixture.value("SELECT string_agg(event_type, ',') FROM @outbox_events"))
        .isEqualTo("small");
  }

  @Test
  void invalidNamesAreRejected() {
    assertThatThrownBy(() -> event(1, "with space")).hasMessageContaining("'with space'");
    assertThatThrownBy(() -> event("", "a")).hasMessageContaining("0 bytes");
    assertThatThrownBy(() -> event("é".repeat(257), "a")).hasMessageContaining("514 bytes");
    assertThatThrownBy(() -> event(1, "a").header("", "x")).hasMessageContaining("Header name ''");
    assertThatThrownBy(() -> event(1, "a").header("n", "\0")).hasMessageContaining("header 'n'");
    assertThatThrownBy(() -> event(1, "a").header("n", "a\uD83D"))
        .hasMessageContaining("surrogate");
    assertThatThrownBy(() -> event(1, "x".repeat(1_000_000)))
        .message()
        .hasSizeLessThan(1_000)
        .contains("(cut)");
    assertThatThrownBy(() -> event(1, "a").traceparent("x")).hasMessageContaining("x");
    assertThatThrownBy(() -> event(1, "a").payload(new byte[0]))
        .hasMessageContaining("content type");
  }

  @Test
  void sqlRecordsWhatJavaPublishes() throws Exception {
    fixture.record(event("ü/1", "by-java"));
    String id =
        fixture.value(
            """
            SELECT @outbox_record('order', 'ü/1', 'by-sql', convert_to('{"total": 7}', 'UTF8'),
                                  headers => '{"tenant": "t"}', traceparent => '%s')
            """
                .formatted(TRACE));

    published();

    RecordedEvent event = publisher.sent.get(1);
    assertThat(event.id()).isEqualTo(UUID.fromString(id));
    assertThat(event.id().version()).isEqualTo(7);
    assertThat(event.id().variant()).isEqualTo(2);
    assertThat(event.text()).isEqualTo("{\"total\": 7}");
    assertThat(event.headers()).containsExactly(Map.entry("tenant", "t"));
    assertThat(event.traceparent()).isEqualTo(TRACE);
    assertThat(publisher.types()).containsExactly("by-java", "by-sql");
  }

  @Test
  void sqlAndJavaAgreeOnTheShard() {
    for (int i = 0; i < 40; i++) {
      Aggregate aggregate = new Aggregate("order", "ä-" + i);
      fixture.execute(
          "SELECT @outbox_record('order', '%s', 'shard-%d', '')".formatted(aggregate.id(), i));
      assertThat(
              fixture.value(
                  "SELECT shard FROM @outbox_events WHERE event_type = 'shard-%d'".formatted(i)))
          .isEqualTo("" + aggregate.shard());
    }
  }

  /** Returns what {@link Event} and {@code outbox_record} reject, and the error text of both. */
  static Stream<Arguments> notAllowed() {
    String longName = "n".repeat(201);
    String headers =
        IntStream.range(0, 51).mapToObj(i -> "\"h" + i + "\": \"\"").collect(joining(","));
    return Stream.of(
        arguments(
            call("'with space', '1', 'a', ''"),
            (Supplier<?>) () -> Event.of("with space", 1, "a"),
            "Aggregate type 'with space' is not allowed."),
        arguments(
            call("'', '1', 'a', ''"),
            (Supplier<?>) () -> Event.of("", 1, "a"),
            "Aggregate type '' is not allowed."),
        arguments(
            call("'order', '', 'a', ''"),
            (Supplier<?>) () -> event("", "a"),
            "Aggregate id has 0 bytes; use 1 to 512"),
        arguments(
            call("'order', '%s', 'a', ''".formatted("é".repeat(257))),
            (Supplier<?>) () -> event("é".repeat(257), "a"),
            "Aggregate id has 514 bytes; use 1 to 512"),
        arguments(
            call("'order', '1', '%s', ''".formatted(longName)),
            (Supplier<?>) () -> event(1, longName),
            "is not allowed. Use 1 to 200 of a-z"),
        arguments(
            call("'order', '1', 'a\n', ''"),
            (Supplier<?>) () -> event(1, "a\n"),
            "Event type 'a\n' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', content_type => '  '"),
            (Supplier<?>) () -> event(1, "a").payload(new byte[0], "  "),
            "Content type '  ' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', content_type => E'a/b\\r\\nX: y'"),
            (Supplier<?>) () -> event(1, "a").payload(new byte[0], "a/b\r\nX: y"),
            "Content type 'a/b\r\nX: y' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', headers => '{\"with space\": \"\"}'"),
            (Supplier<?>) () -> event(1, "a").header("with space", ""),
            "Header name 'with space' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', headers => '{\"\": \"\"}'"),
            (Supplier<?>) () -> event(1, "a").header("", ""),
            "Header name '' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', headers => '{%s}'".formatted(headers)),
            (Supplier<?>)
                () -> {
                  Event event = event(1, "a");
                  for (int i = 0; i < 51; i++) {
                    event = event.header("h" + i, "");
                  }
                  return event;
                },
            "An event may have at most 50 headers."),
        arguments(
            call("'order', '1', 'a', '', headers => '{\"n\": \"a\\r\\nX: y\"}'"),
            (Supplier<?>) () -> event(1, "a").header("n", "a\r\nX: y"),
            "The value of header 'n' is not allowed."),
        arguments(
            call("'order', '1', 'a', '', headers => '{\"n\": \"\\u009b\"}'"),
            (Supplier<?>) () -> event(1, "a").header("n", "\u009b"),
            "The value of header 'n' is not allowed."),
        arguments(
            call(
                "'order', '1', 'a', '', headers => '{\"n\": \"%s\", \"m\": \"\"}'"
                    .formatted("é".repeat(8_192))),
            (Supplier<?>) () -> event(1, "a").header("m", "").header("n", "é".repeat(8_192)),
            "The headers have 16386 bytes; at most 16384 are allowed."),
        arguments(
            call("'order', '1', 'a', '', traceparent => '%s'".formatted(TRACE.toUpperCase(ROOT))),
            (Supplier<?>) () -> event(1, "a").traceparent(TRACE.toUpperCase(ROOT)),
            "Trace parent '00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01' is not"
                + " allowed."),
        arguments(
            call("'order', '1', 'a', '', traceparent => 'ff%s'".formatted(TRACE.substring(2))),
            (Supplier<?>) () -> event(1, "a").traceparent("ff" + TRACE.substring(2)),
            "version not ff."));
  }

  private static String call(String arguments) {
    return "SELECT @outbox_record(" + arguments + ")";
  }

  @ParameterizedTest
  @MethodSource("notAllowed")
  void sqlAndJavaRejectTheSame(String call, Supplier<?> java, String sentence) {
    assertThatThrownBy(java::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(sentence);
    assertThatThrownBy(() -> fixture.execute(call))
        .cause()
        .hasMessageContaining(sentence)
        .isInstanceOfSatisfying(
            SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo("22023"));
    assertThat(fixture.count("outbox_events")).isZero();
  }

  @Test
  void sqlRejectsWhatJavaCannotExpress() {
    for (String arguments :
        List.of(
            "NULL, '1', 'a', ''",
            "'order', NULL, 'a', ''",
            "'order', '1', NULL, ''",
            "'order', '1', 'a', NULL",
            "'order', '1', 'a', '', content_type => NULL",
            "'order', '1', 'a', '', headers => NULL",
            "'order', '1', 'a', '', headers => '[]'",
            "'order', '1', 'a', '', headers => '{\"n\": 1}'")) {
      assertThatThrownBy(() -> fixture.execute(call(arguments)))
          .as(arguments)
          .cause()
          .isInstanceOfSatisfying(
              SQLException.class, refused -> assertThat(refused.getSQLState()).isEqualTo("22023"));
    }
    assertThat(fixture.count("outbox_events")).isZero();
  }

  /** With such headers, relays could not read any event of the batch. */
  @ParameterizedTest
  @ValueSource(strings = {"[]", "1", "{\"n\": null}", "{\"n\": 1}", "{\"n\": [\"x\"]}"})
  void headersThatAreNotTextsAreRefused(String headers) {
    assertThatThrownBy(
            () ->
                fixture.execute(
                    "INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id,"
                        + " event_type, payload, headers)"
                        + " VALUES (gen_random_uuid(), 0, 'order', '1', 'a', '', '%s')"
                            .formatted(headers)))
        .cause()
        .hasMessageContaining("outbox_headers_check");
  }

  @Test
  void sqlAcceptsWhatIsBarelyAllowed() {
    String headers =
        IntStream.range(0, 50).mapToObj(i -> "\"h" + i + "\": \"~\u00a0\"").collect(joining(","));
    String name = "n".repeat(200);

    fixture.execute(
        call(
            "'%1$s', '%2$s', '%1$s', '', '%3$s', '{%4$s}', '%5$s'"
                .formatted(name, "é".repeat(256), "x".repeat(200), headers, TRACE)));

    assertThat(fixture.count("outbox_events")).isEqualTo(1);
  }
}
