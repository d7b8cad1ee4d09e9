package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.sql.Lazy;
import dev.skipjack.store.jooq.internal.payload.JacksonCodec;
import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Tests that the testkit reads payloads like a queue with the default codec. The testkit cannot
 * depend on the store, so it has its own mapper.
 */
class JacksonPayloadsTest {

  private final ObjectMapper ofQueue = mapper(new JacksonCodec());
  private final ObjectMapper ofTestkit = mapper(new JacksonPayloads());

  @Test
  void theTestkitsMapperHasTheSettingsOfTheQueues() {
    assertThat(settings(ofTestkit)).isEqualTo(settings(ofQueue));
  }

  @Test
  void testkitReadsEveryPayloadThatAQueueAccepts() {
    StreamReadConstraints queue = ofQueue.getFactory().streamReadConstraints();
    StreamReadConstraints testkit = ofTestkit.getFactory().streamReadConstraints();

    assertThat(testkit.getMaxNestingDepth()).isGreaterThanOrEqualTo(queue.getMaxNestingDepth());
    assertThat(testkit.getMaxNumberLength()).isGreaterThanOrEqualTo(queue.getMaxNumberLength());
    assertThat(testkit.getMaxStringLength()).isGreaterThanOrEqualTo(queue.getMaxStringLength());
    assertThat(testkit.getMaxNameLength()).isGreaterThanOrEqualTo(queue.getMaxNameLength());
  }

  private static Map<String, Object> settings(ObjectMapper mapper) {
    Map<String, Object> settings = new TreeMap<>();
    Arrays.stream(MapperFeature.values())
        .forEach(each -> settings.put("mapper " + each, mapper.isEnabled(each)));
    Arrays.stream(SerializationFeature.values())
        .forEach(each -> settings.put("serialization " + each, mapper.isEnabled(each)));
    Arrays.stream(DeserializationFeature.values())
        .forEach(each -> settings.put("deserialization " + each, mapper.isEnabled(each)));
    Arrays.stream(JsonParser.Feature.values())
        .forEach(each -> settings.put("parser " + each, mapper.isEnabled(each)));
    Arrays.stream(JsonGenerator.Feature.values())
        .forEach(each -> settings.put("generator " + each, mapper.isEnabled(each)));
    settings.put("modules", mapper.getRegisteredModuleIds());
    settings.put(
        "inclusion", mapper.getSerializationConfig().getDefaultPropertyInclusion().toString());
    settings.put("naming", String.valueOf(mapper.getPropertyNamingStrategy()));
    settings.put("visibility", mapper.getVisibilityChecker().toString());
    return settings;
  }

  /** Returns the mapper from the private field of a codec. */
  private static ObjectMapper mapper(PayloadCodec codec) {
    try {
      Field mapper = codec.getClass().getDeclaredField("mapper");
      mapper.setAccessible(true);
      Object value = Objects.requireNonNull(mapper.get(codec));
      return (ObjectMapper) (value instanceof Lazy<?> lazy ? lazy.get() : value);
    } catch (ReflectiveOperationException failure) {
      throw new LinkageError(failure.toString(), failure);
    }
  }
}
