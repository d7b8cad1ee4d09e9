package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

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
  void noEventsNeedNoStatement() {
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
    assertThatThrownBy(() -> event(1, "a").header("n", "\0")).hasMessageContaining("NUL");
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

  @Test
  void sqlRejectsWhatIsNotAllowed() {
    for (String call :
        List.of(
            "@outbox_record('order', '1', 'a', NULL)",
            "@outbox_record('order', '1', 'a', '', headers => '[]')",
            "@outbox_record('order', '1', 'a', '', headers => '{\"n\": 1}')",
            "@outbox_record('', '1', 'a', '')",
            "@outbox_record('order', '', 'a', '')",
            "@outbox_record('order', '1', 'with space', '')")) {
      assertThatThrownBy(() -> fixture.execute("SELECT " + call)).as(call).isNotNull();
    }
    assertThat(fixture.count("outbox_events")).isZero();
  }
}
