package dev.skipjack.testkit;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;

/**
 * Encodes and decodes payloads as the default codec of a queue does. The store's {@code
 * JacksonPayloadsTest} compares the settings of the two. This class is loaded only if Jackson is on
 * the class path.
 */
final class JacksonPayloads implements PayloadCodec {

  private final ObjectMapper mapper =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  JacksonPayloads() {
    // The queue checked the size of each payload when it was enqueued, so these limits are not
    // needed.
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder()
                .maxNestingDepth(Integer.MAX_VALUE)
                .maxNumberLength(Integer.MAX_VALUE)
                .maxNameLength(Integer.MAX_VALUE)
                .build());
  }

  @Override
  public String encode(Object payload) {
    try {
      return mapper.writeValueAsString(payload);
    } catch (JacksonException refused) {
      throw new PayloadException(
          "%s cannot be written as JSON: %s"
              .formatted(payload.getClass().getName(), refused.getOriginalMessage()),
          refused);
    }
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    try {
      return mapper.readValue(json, payloadClass);
    } catch (JacksonException refused) {
      throw new PayloadException(
          "Payload does not fit %s: %s"
              .formatted(payloadClass.getName(), refused.getOriginalMessage()),
          refused);
    }
  }
}
