package dev.skipjack.store.jooq;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;

/**
 * The codec that is used when none is given. A mapper of our own: no default typing, so no class
 * name in a payload is ever looked at; unknown fields are ignored, so that a newer producer does
 * not break an older worker.
 */
final class JacksonCodec implements PayloadCodec {

  private final ObjectMapper mapper =
      JsonMapper.builder()
          .findAndAddModules()
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  JacksonCodec() {
    mapper
        .getFactory()
        .setStreamReadConstraints(
            StreamReadConstraints.builder().maxNestingDepth(PayloadLimits.DEEPEST + 1).build());
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
      // The original message may quote the payload; the location does not.
      throw new PayloadException(
          "Payload does not fit %s (%s)"
              .formatted(payloadClass.getName(), refused.getClass().getSimpleName()),
          refused);
    }
  }
}
