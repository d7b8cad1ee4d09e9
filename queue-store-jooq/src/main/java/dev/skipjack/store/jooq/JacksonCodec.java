package dev.skipjack.store.jooq;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.util.stream.Collectors;

/**
 * The codec that is used when none is given. A mapper of our own: no default typing, so no class
 * name in a payload is ever looked at; unknown fields are ignored, so that a newer producer does
 * not break an older worker.
 */
final class JacksonCodec implements PayloadCodec {

  private static final int DEEPEST_PLACE = 10;

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
            // Whatever was let in must come out; its size was limited at the enqueue.
            StreamReadConstraints.builder()
                .maxNestingDepth(JsonScan.DEEPEST + 1)
                .maxNumberLength(JsonScan.MOST_INTEGER_DIGITS + JsonScan.MOST_FRACTION_DIGITS + 2)
                .maxNameLength(Integer.MAX_VALUE)
                .build());
  }

  @Override
  public String encode(Object payload) {
    try {
      return mapper.writeValueAsString(payload);
    } catch (JacksonException refused) {
      throw new PayloadException(
          "%s cannot be written as JSON, at %s: %s"
              .formatted(
                  payload.getClass().getName(), place(refused), refused.getOriginalMessage()),
          refused);
    }
  }

  /** Where the mapper was: a JSON pointer, shortened if it is long. */
  private static String place(JacksonException refused) {
    if (!(refused instanceof JsonMappingException mapping) || mapping.getPath().isEmpty()) {
      return "the top level";
    }
    return mapping.getPath().stream()
        .limit(DEEPEST_PLACE)
        .map(step -> step.getFieldName() == null ? "" + step.getIndex() : step.getFieldName())
        .collect(
            Collectors.joining(
                "/", "'/", mapping.getPath().size() > DEEPEST_PLACE ? "/...'" : "'"));
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
