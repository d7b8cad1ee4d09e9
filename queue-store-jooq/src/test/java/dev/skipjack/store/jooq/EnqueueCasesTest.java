package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.postgresql.util.PSQLException;

/**
 * Runs the cases of one file with {@link JobQueue} and with the schema's function {@code enqueue}.
 * Both must write the same row, or both must reject the case.
 */
@QueueTest
class EnqueueCasesTest {

  private static final String INVALID_PARAMETER_VALUE = "22023";

  /** The times of two calls differ slightly, so they are compared in hundredths of an hour. */
  private static final String ROW =
      "SELECT (to_jsonb(jobs) - '{id,created_at,updated_at,scheduled_at}'::text[])"
          + " || jsonb_build_object('due_in', round(extract(epoch FROM scheduled_at - created_at) / 36),"
          + " 'key', (SELECT key FROM @job_keys WHERE job_id = jobs.id)) FROM @jobs WHERE id = ";

  /** A codec that returns payloads unchanged, even if they are not valid JSON. */
  private static final PayloadCodec AS_IT_IS =
      new PayloadCodec() {
        @Override
        public String encode(Object payload) {
          return payload.toString();
        }

        @Override
        public <T> T decode(String json, Class<T> payloadClass) {
          return payloadClass.cast(json);
        }
      };

  record Case(JsonNode json) {
    boolean refused() {
      return json.path("refused").asBoolean();
    }

    String name() {
      return json.path("name").asText();
    }
  }

  private static Stream<Case> cases() throws IOException {
    try (InputStream file =
        Objects.requireNonNull(EnqueueCasesTest.class.getResourceAsStream("/enqueue-cases.json"))) {
      return StreamSupport.stream(new ObjectMapper().readTree(file).spliterator(), false)
          .map(Case::new);
    }
  }

  private Fixture fixture;
  private JobQueue queue;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    queue =
        JobQueue.builder(database.dataSource()).schema(database.schema()).codec(AS_IT_IS).build();
  }

  /** Dynamic tests, so that the tables are not truncated before each case. */
  @TestFactory
  Stream<DynamicTest> javaAndSqlAgree() throws IOException {
    return cases().map(each -> DynamicTest.dynamicTest(each.name(), () -> compare(each)));
  }

  private void compare(Case each) throws SQLException {
    JsonNode json = each.json();
    if (each.refused()) {
      assertThat(catchThrowable(() -> inJava(json)))
          .isInstanceOfAny(IllegalArgumentException.class, PayloadException.class);
      assertThatThrownBy(() -> inSql(json))
          .isInstanceOfSatisfying(
              PSQLException.class,
              refusal ->
                  assertThat(refusal.getSQLState())
                      .as(refusal.getMessage())
                      .isEqualTo(json.path("serverFirst").asText(INVALID_PARAMETER_VALUE)));
      assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    } else {
      String fromJava = fixture.value(ROW + inJava(json));
      fixture.execute("DELETE FROM @job_keys");

      assertThat(fixture.value(ROW + inSql(json))).isEqualTo(fromJava);
      fixture.execute("DELETE FROM @job_keys");
      fixture.execute("DELETE FROM @jobs");
    }
  }

  private JobId inJava(JsonNode json) {
    JobType<String> type = JobType.of(text(json.path("kind")), String.class);
    if (json.has("payloadVersion")) {
      type = type.payloadVersion(json.path("payloadVersion").asInt());
    }
    return queue.enqueue(
        type, json.has("payload") ? text(json.path("payload")) : "{}", job -> options(json, job));
  }

  private static EnqueueOptions options(JsonNode json, EnqueueOptions none) {
    EnqueueOptions job = none;
    if (json.has("queue")) {
      job = job.onQueue(text(json.path("queue")));
    }
    if (json.has("priority")) {
      job = job.priority(json.path("priority").asInt());
    }
    if (json.has("maxAttempts")) {
      job = job.maxAttempts(json.path("maxAttempts").asInt());
    }
    if (json.has("delay")) {
      job = job.delay(Duration.parse(json.path("delay").asText()));
    }
    if (json.has("scheduledAt")) {
      job = job.at(Instant.parse(json.path("scheduledAt").asText()));
    }
    if (json.has("tags")) {
      job = job.tags(tags(json));
    }
    if (json.has("idempotencyKey")) {
      String key = text(json.path("idempotencyKey"));
      job =
          json.has("idempotencyKept")
              ? job.idempotencyKey(key, Duration.parse(json.path("idempotencyKept").asText()))
              : job.idempotencyKey(key);
    }
    if (json.has("traceparent")) {
      job = job.traceparent(text(json.path("traceparent")));
    }
    if (json.has("headers")) {
      for (Map.Entry<String, JsonNode> header : json.path("headers").properties()) {
        job = job.header(header.getKey(), text(header.getValue()));
      }
    }
    return job;
  }

  private long inSql(JsonNode json) throws SQLException {
    List<String> parameters = new ArrayList<>();
    List<Object> values = new ArrayList<>();
    for (String[] parameter :
        new String[][] {
          {"kind", "kind", "text"},
          {"payload", "payload", "json"},
          {"queue", "queue", "text"},
          {"priority", "priority", "integer"},
          {"maxAttempts", "max_attempts", "integer"},
          {"payloadVersion", "payload_version", "integer"},
          {"delay", "delay", "interval"},
          {"scheduledAt", "scheduled_at", "timestamptz"},
          {"tags", "tags", "text[]"},
          {"idempotencyKey", "idempotency_key", "text"},
          {"idempotencyKept", "idempotency_kept", "interval"},
          {"traceparent", "traceparent", "text"},
          {"headers", "headers", "jsonb"}
        }) {
      if (json.has(parameter[0])) {
        parameters.add(parameter[1] + " => ?::" + parameter[2]);
        values.add(
            parameter[0].equals("tags")
                ? tags(json).toArray(String[]::new)
                : parameter[0].equals("headers")
                    ? headers(json.path("headers"))
                    : text(json.path(parameter[0])));
      }
    }
    String sql =
        "SELECT \""
            + fixture.database.schema()
            + "\".enqueue("
            + String.join(", ", parameters)
            + ")";
    try (Connection connection = fixture.database.connection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.size(); i++) {
        statement.setObject(
            i + 1,
            values.get(i) instanceof String[] tags
                ? connection.createArrayOf("text", tags)
                : values.get(i));
      }
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private static String headers(JsonNode json) {
    ObjectNode headers = new ObjectMapper().createObjectNode();
    json.properties().forEach(header -> headers.put(header.getKey(), text(header.getValue())));
    return headers.toString();
  }

  private static List<String> tags(JsonNode json) {
    List<String> tags = new ArrayList<>();
    json.path("tags").forEach(tag -> tags.add(text(tag)));
    return tags;
  }

  /**
   * Returns a text. A long text is given by its parts: before, a repeated part, middle, another
   * repeated part, after.
   */
  private static String text(JsonNode node) {
    if (!node.isObject()) {
      return node.asText();
    }
    int times = node.path("times").asInt();
    return node.path("before").asText()
        + node.path("repeat").asText().repeat(times)
        + node.path("middle").asText()
        + node.path("close").asText().repeat(times)
        + node.path("after").asText();
  }
}
