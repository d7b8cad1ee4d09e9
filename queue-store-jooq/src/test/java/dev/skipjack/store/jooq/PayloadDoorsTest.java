package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.store.jooq.internal.payload.PayloadCorpus;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that Java and the SQL function accept the same payloads, with any settings of the session.
 */
@QueueTest
class PayloadDoorsTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);

  /**
   * A setting that any role may change, and that changes the meaning of backslashes in literals.
   */
  private static final String BACKSLASHES_ESCAPE = "SET standard_conforming_strings = off";

  /** The other settings that change the meaning of SQL or the text form of values. */
  private static final String HOSTILE =
      "SET backslash_quote = on; SET array_nulls = off; SET transform_null_equals = on;"
          + " SET timezone = 'Asia/Kathmandu'; SET datestyle = 'ISO, DMY'; SET intervalstyle = 'sql_standard';"
          + " SET bytea_output = 'escape'; SET extra_float_digits = -15; SET quote_all_identifiers = on;"
          + " SET plan_cache_mode = force_custom_plan; SET enable_indexscan = off; SET enable_bitmapscan = off;"
          + " SET search_path = pg_temp, pg_catalog";

  private Fixture fixture;
  private JobQueue raw;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    raw =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .codec(
                new PayloadCodec() {
                  @Override
                  public String encode(Object payload) {
                    return (String) payload;
                  }

                  @Override
                  public <T> T decode(String json, Class<T> payloadClass) {
                    return payloadClass.cast(json);
                  }
                })
            .build();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT 1", BACKSLASHES_ESCAPE, HOSTILE})
  void javaAndSqlAcceptValidPayloads(String session) {
    List<String> good = PayloadCorpus.good();
    good.forEach(json -> raw.enqueue(TYPE, json));

    assertThat(refusals(session, good)).isEmpty();
    assertThat(fixture.value("SELECT count(*) FROM @jobs GROUP BY payload HAVING count(*) % 2 = 1"))
        .as("payloads that Java and SQL stored differently")
        .isEqualTo("(no row)");
    assertThat(fixture.value("SELECT count(*) FROM @jobs"))
        .isEqualTo(String.valueOf(good.size() * 2));
  }

  @Test
  void javaRefusesInvalidPayloads() {
    assertThat(PayloadCorpus.refused())
        .allSatisfy(
            json ->
                assertThatThrownBy(() -> raw.enqueue(TYPE, json))
                    .isInstanceOf(PayloadException.class));
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"SELECT 1", BACKSLASHES_ESCAPE, HOSTILE})
  void sqlRefusesInvalidPayloadsInEverySession(String session) {
    List<String> refused =
        PayloadCorpus.refused().filter(StandardCharsets.UTF_8.newEncoder()::canEncode).toList();

    assertThat(refusals(session, refused))
        .hasSameSizeAs(refused)
        .allSatisfy(
            refusal -> assertThat(refusal.getSQLState()).isIn("22023", "22P02", "22P05", "54001"));
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("0");
  }

  /** Payloads that the server's own JSON parser rejects never reach the function. */
  @Test
  void functionRefusesPayloadsAsInvalidParameters() {
    List<String> refused =
        Stream.of(
                PayloadCorpus.hugeNumbers(),
                PayloadCorpus.tooDeep().subList(0, 4),
                PayloadCorpus.hugeWrittenOut(),
                PayloadCorpus.tooLarge())
            .flatMap(List::stream)
            .toList();

    assertThat(refusals("SELECT 1", refused))
        .hasSameSizeAs(refused)
        .allSatisfy(refusal -> assertThat(refusal.getSQLState()).isEqualTo("22023"));
  }

  @Test
  void refusalsOfHugeNumbersNameTheSizes() {
    String json = "[1" + ",1e-1000".repeat(523) + "]";

    assertThatThrownBy(() -> raw.enqueue(TYPE, json))
        .hasMessage(
            "Payload of kind 'k' has 4,187 bytes, and 525,095 once its numbers are written out;"
                + " 524,288 are allowed. Send numbers with large exponents as strings, or store the"
                + " document elsewhere and enqueue its id.");
    assertThat(refusals("SELECT 1", List.of(json)))
        .singleElement()
        .extracting(SQLException::getMessage, as(InstanceOfAssertFactories.STRING))
        .contains(
            "Payload has 4187 bytes, and 525095 once its numbers are written out; 524288 are allowed.");
  }

  @Test
  void editHasTheSameLimit() {
    JobId job = raw.enqueue(TYPE, "1");

    assertThatThrownBy(
            () ->
                raw.admin()
                    .edit(job, JobEdit.nothing().payload("[1" + ",1e-1000".repeat(523) + "]")))
        .isInstanceOf(PayloadException.class)
        .hasMessageStartingWith("Payload of job " + job + " has ")
        .hasMessageContaining("written out");
    assertThatThrownBy(() -> raw.encodeResult("k", "[1" + ",1e-1000".repeat(523) + "]"))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("Result of kind 'k'")
        .hasMessageContaining("written out");
  }

  private List<SQLException> refusals(String session, List<String> documents) {
    List<SQLException> refusals = new ArrayList<>();
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement();
        PreparedStatement enqueue =
            connection.prepareStatement(fixture.inSchema("SELECT @enqueue('k', ?::json)"))) {
      if (!session.equals(BACKSLASHES_ESCAPE) || fixture.canLetBackslashesEscape()) {
        statement.execute(session);
      }
      for (String json : documents) {
        enqueue.setString(1, json);
        try (ResultSet id = enqueue.executeQuery()) {
          assertThat(id.next()).isTrue();
        } catch (SQLException refusal) {
          refusals.add(refusal);
        }
      }
      statement.execute("RESET ALL");
    } catch (SQLException failure) {
      throw new AssertionError(session, failure);
    }
    return refusals;
  }
}
