package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that hostile text in any String of a producer is rejected or stored unchanged. */
@QueueTest
class InjectionTest {

  record Note(String text) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  /**
   * Returns every combination of an escape from a literal, an identifier, an array or a comment
   * with an attack.
   */
  private static List<String> corpus() {
    List<String> corpus = new ArrayList<>();
    for (String out :
        List.of("'", "\"", "''", "\\'", "')", "'))", "\"}", "}'", "$$", "'::text", "\u02BC", "`")) {
      for (String deed :
          List.of(
              "; DROP TABLE skipjack.jobs CASCADE; --",
              " OR 1=1 --",
              " UNION SELECT version() --",
              "; SELECT pg_sleep(10); --",
              " || (SELECT rolpassword FROM pg_authid LIMIT 1) || '",
              ", 'running', now()) /*",
              "; COMMIT; UPDATE jobs SET status = 'dead'; --",
              "\n\\copy jobs to '/tmp/x'")) {
        corpus.add("a" + out + deed);
      }
    }
    corpus.addAll(
        List.of(
            "{a,b}",
            "{\"a\"}",
            "NULL",
            "\\",
            "\\\\",
            "%s%n",
            "?",
            "$1",
            ":name",
            "{0}",
            "{fn now()}",
            "/* */",
            "-- ",
            "E'\\x27'",
            "U&'\\0027'",
            "U&\"d\\0061t\"",
            "ARRAY['a']",
            "(SELECT 1)"));
    return corpus;
  }

  @Test
  void textIsStoredAsItIs() throws SQLException {
    for (String hostile : corpus()) {
      String tag = cut(hostile);
      fixture.queue.enqueue(
          NOTE, new Note(hostile), job -> job.idempotencyKey(hostile).tags(tag, "b"));

      assertThat(row()).isEqualTo(List.of(hostile, tag, "idempotency/note/" + hostile));
      fixture.execute("DELETE FROM @jobs");
    }
  }

  @Test
  void textIsStoredAsItIsByTheFunctionToo() throws SQLException {
    for (String hostile : corpus()) {
      String tag = cut(hostile);
      try (Connection connection = fixture.database.connection();
          PreparedStatement call =
              connection.prepareStatement(
                  "SELECT \""
                      + fixture.database.schema()
                      + "\".enqueue('note', json_build_object('text', ?::text), tags => ?, idempotency_key => ?)")) {
        call.setString(1, hostile);
        call.setArray(2, connection.createArrayOf("text", new String[] {tag, "b"}));
        call.setString(3, hostile);
        call.execute();
      }
      assertThat(row()).isEqualTo(List.of(hostile, tag, "idempotency/note/" + hostile));
      fixture.execute("DELETE FROM @jobs");
    }
  }

  @Test
  void namesAreRefused() {
    for (String hostile : corpus()) {
      assertThatThrownBy(() -> JobType.of(hostile, Map.class))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> NOTE.onQueue(hostile)).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> EnqueueOptions.none().onQueue(hostile))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void schemaIsUsedOnlyAsAName() {
    for (String hostile : corpus()) {
      JobQueue elsewhere = JobQueue.builder(fixture.database.dataSource()).schema(hostile).build();

      assertThatThrownBy(() -> elsewhere.enqueue(NOTE, new Note("x")))
          .isInstanceOfSatisfying(
              StoreException.class,
              refusal -> assertThat(refusal.sqlState().orElseThrow()).isIn("42P01", "3F000"));
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  private static String cut(String tag) {
    return tag.replace("\n", "").substring(0, Math.min(tag.replace("\n", "").length(), 63)).strip();
  }

  /** Returns the text, the first tag and the key of the only job. */
  private List<String> row() throws SQLException {
    try (Connection connection = fixture.database.connection();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT payload->>'text', tags[1], (SELECT key FROM \"%1$s\".job_keys WHERE job_id = jobs.id) FROM \"%1$s\".jobs"
                    .formatted(fixture.database.schema()));
        ResultSet row = query.executeQuery()) {
      row.next();
      return List.of(row.getString(1), row.getString(2), row.getString(3));
    }
  }
}
