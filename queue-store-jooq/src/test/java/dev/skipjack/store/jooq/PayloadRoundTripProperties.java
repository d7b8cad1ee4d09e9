package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.testkit.QueueDatabase;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import org.jspecify.annotations.Nullable;

/**
 * Tests that the handler receives the payload that was enqueued. PostgreSQL's jsonb may change only
 * the order of names, duplicate names, and the notation of numbers.
 */
class PayloadRoundTripProperties {

  private static final JobType<Object> FREE = JobType.of("free", Object.class);
  private static final ObjectMapper EXACT =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** Compares numbers by value, so that 1.50 equals 15e-1. */
  private static final Comparator<JsonNode> BY_VALUE =
      (one, other) ->
          one.isNumber() && other.isNumber()
              ? one.decimalValue().compareTo(other.decimalValue())
              : one.equals(other) ? 0 : 1;

  private static final QueueDatabase DATABASE = QueueDatabase.create();
  private static final Fixture FIXTURE = new Fixture(DATABASE);

  @AfterContainer
  static void close() {
    DATABASE.close();
  }

  @Property(tries = 60)
  void payloadsAreReadAsTheyWereEnqueued(@ForAll("trees") List<Object> payloads) throws Exception {
    List<JobId> ids = FIXTURE.queue.enqueueAll(FREE, payloads);
    Map<Long, String> stored = stored();

    for (int i = 0; i < payloads.size(); i++) {
      String json = Objects.requireNonNull(stored.get(ids.get(i).value()));
      JsonNode sent = EXACT.readTree(FIXTURE.queue.codec().encode(payloads.get(i)));
      assertThat(EXACT.readTree(json).equals(BY_VALUE, sent))
          .as("%s became %s", sent, json)
          .isTrue();
      assertThat(FIXTURE.queue.codec().decode(json, Object.class)).isNotNull();
    }
  }

  @Example
  void jsonbChangesNamesAndNumbers() {
    assertThat(becomes("{\"b\": 1, \"aa\": 2, \"c\": 3}"))
        .as("names are sorted, short ones first")
        .isEqualTo("{\"b\": 1, \"c\": 3, \"aa\": 2}");
    assertThat(becomes("{\"a\":1,\"a\":{\"b\":2}}"))
        .as("the last of equal names is kept")
        .isEqualTo("{\"a\": {\"b\": 2}}");
    assertThat(becomes("[1.50, 1E+3, 12e-4, -0, -0.0, 0e5]"))
        .as("numbers have no exponent, zeros at the end are kept, zero has no sign")
        .isEqualTo("[1.50, 1000, 0.0012, 0, 0.0, 0]");
    assertThat(becomes("[\"\\u00e9\\/\",  true]"))
        .as("escapes and spaces are not kept")
        .isEqualTo("[\"é/\", true]");
  }

  private static String becomes(String json) {
    return FIXTURE.value("SELECT '" + json + "'::jsonb");
  }

  private static Map<Long, String> stored() throws Exception {
    Map<Long, String> stored = new HashMap<>();
    try (var connection = DATABASE.connection();
        var statement = connection.createStatement();
        var rows =
            statement.executeQuery(
                "DELETE FROM \"" + DATABASE.schema() + "\".jobs RETURNING id, payload")) {
      while (rows.next()) {
        stored.put(rows.getLong(1), rows.getString(2));
      }
    }
    return stored;
  }

  /**
   * Generates trees with our own generator, because jqwik's recursive generators overflow the stack
   * while shrinking.
   */
  @Provide
  Arbitrary<List<Object>> trees() {
    return Arbitraries.randomValue(
        random -> Stream.generate(() -> tree(random, 4)).limit(40).toList());
  }

  private static Object tree(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 9 : 6)) {
      case 0 -> random.nextLong();
      case 1 -> random.nextInt(100);
      case 2 ->
          new BigDecimal(new BigInteger(random.nextInt(900), random), random.nextInt(500) - 20);
      case 3 -> finite(Double.longBitsToDouble(random.nextLong()));
      case 4 -> random.nextBoolean();
      case 5 -> text(random);
      case 6 -> Stream.generate(() -> tree(random, depth - 1)).limit(random.nextInt(6)).toList();
      default -> object(random, depth - 1);
    };
  }

  private static double finite(double any) {
    return Double.isFinite(any) ? any : 0.5;
  }

  private static Map<String, @Nullable Object> object(Random random, int depth) {
    Map<String, @Nullable Object> object = new HashMap<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      object.put(text(random), random.nextInt(10) == 0 ? null : tree(random, depth));
    }
    return object;
  }

  /** Returns any text without NUL and lone surrogates, which are rejected. */
  private static String text(Random random) {
    int highest = new int[] {0x80, 0x800, 0x10000, 0x110000}[random.nextInt(4)];
    return random
        .ints(random.nextInt(12), 1, highest)
        .filter(c -> c < Character.MIN_SURROGATE || c > Character.MAX_SURROGATE)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }
}
