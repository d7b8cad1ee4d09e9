package dev.skipjack.store.jooq.internal.payload;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonMappingException.Reference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.exc.InvalidDefinitionException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import dev.skipjack.sql.Lazy;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The default codec of a queue. Its mapper has no default typing, so a payload cannot name a class
 * to load unless its class allows that with {@code @JsonTypeInfo}. The mapper ignores unknown
 * fields, so that a newer producer does not break an older worker. A payload does not fit if the
 * value of a primitive is missing, or if an object has none of a record's components. The testkit
 * has a copy of the mapper's settings, and {@code JacksonPayloadsTest} compares the two.
 */
public final class JacksonCodec implements PayloadCodec {

  private static final int DEEPEST_PLACE = 10;

  /** Created on first use, because that takes longer than the rest of a queue's creation. */
  private final Lazy<ObjectMapper> mapper = Lazy.of(JacksonCodec::newMapper);

  private final Lazy<JacksonReadability> readability =
      Lazy.of(() -> new JacksonReadability(mapper.get()));

  /** Creates a codec that uses the Jackson modules on the class path. */
  public JacksonCodec() {}

  private static ObjectMapper newMapper() {
    ObjectMapper mapper =
        JsonMapper.builder()
            .findAndAddModules()
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();
    mapper
        .getFactory()
        .setStreamReadConstraints(
            // A payload that was accepted at enqueue must be readable.
            StreamReadConstraints.builder()
                .maxNestingDepth(JsonReader.DEEPEST + 1)
                .maxNumberLength(JsonScan.MOST_INTEGER_DIGITS + JsonScan.MOST_FRACTION_DIGITS + 2)
                .maxNameLength(Integer.MAX_VALUE)
                .build());
    return mapper;
  }

  @Override
  public void prepare() {
    ObjectMapper unused = mapper.get();
  }

  @Override
  public String encode(Object payload) {
    try {
      return mapper.get().writeValueAsString(payload);
    } catch (JacksonException refused) {
      throw new PayloadException(
          "%s cannot be written as JSON, at %s: %s. Store another type there, for example a record or an id, or set a PayloadCodec that can write it."
              .formatted(
                  payload.getClass().getName(),
                  place(refused, Reference::getFieldName),
                  refused.getOriginalMessage()),
          refused);
    }
  }

  /** Returns the mapper's position as a JSON pointer, shortened if it is long. */
  private static String place(JacksonException refused, Function<Reference, String> named) {
    if (!(refused instanceof JsonMappingException mapping) || mapping.getPath().isEmpty()) {
      return "the top level";
    }
    return mapping.getPath().stream()
        .limit(DEEPEST_PLACE)
        .map(step -> step.getFieldName() == null ? "" + step.getIndex() : named.apply(step))
        .collect(
            Collectors.joining(
                "/", "'/", mapping.getPath().size() > DEEPEST_PLACE ? "/...'" : "'"));
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    return decode(json, payloadClass, mapper.get().reader());
  }

  private <T> T decode(String json, Class<T> payloadClass, ObjectReader reader) {
    try {
      UnknownFields unknown = new UnknownFields();
      T payload = reader.forType(payloadClass).withHandler(unknown).readValue(json);
      String foreign = unknown.met ? readability.get().foreignObject(json, payloadClass) : null;
      if (foreign != null) {
        throw new PayloadException(
            "Payload does not fit %s, %s".formatted(payloadClass.getName(), foreign), null);
      }
      return payload;
    } catch (InvalidDefinitionException refused) {
      String problem = readability.get().problem(payloadClass);
      throw PayloadException.permanent(
          unreadable(
              payloadClass,
              problem == null
                  ? "at %s: %s".formatted(placeInClasses(refused), withoutValue(refused))
                  : problem),
          null);
    } catch (JacksonException refused) {
      if (lacksPrimitive(refused) && mayLackPrimitives(refused)) {
        return decode(
            json, payloadClass, reader.without(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES));
      }
      // The original message may quote the payload; the names of the class's properties cannot.
      throw new PayloadException(
          "Payload does not fit %s, at %s (%s)"
              .formatted(payloadClass.getName(), placeInClasses(refused), typesOf(refused)),
          causeOf(refused));
    }
  }

  private static boolean lacksPrimitive(JacksonException refused) {
    return refused instanceof MismatchedInputException mismatch
        && mismatch.getTargetType() != null
        && mismatch.getTargetType().isPrimitive()
        && refused.getOriginalMessage().startsWith("Cannot map `null`");
  }

  /** Returns whether annotations leave values out of the class with the missing primitive. */
  private static boolean mayLackPrimitives(JacksonException refused) {
    if (!(refused instanceof JsonMappingException mapping) || mapping.getPath().isEmpty()) {
      return false;
    }
    Object owner = mapping.getPath().get(mapping.getPath().size() - 1).getFrom();
    return owner instanceof Class<?> type && JacksonReadability.leavesOutValues(type);
  }

  private static String typesOf(JacksonException refused) {
    String name = refused.getClass().getSimpleName();
    Class<?> wanted =
        refused instanceof MismatchedInputException mismatch ? mismatch.getTargetType() : null;
    if (wanted != null && lacksPrimitive(refused)) {
      return "missing or null, which %s cannot be".formatted(wanted.getName());
    }
    return wanted == null ? name : name + " for " + wanted.getName();
  }

  /**
   * Returns the exception that a constructor or a deserializer of the application threw. Omits
   * Jackson's own exceptions and the causes of values that do not fit, because they quote the
   * payload, and logs and the audit show causes.
   */
  private static @Nullable Throwable causeOf(JacksonException refused) {
    Throwable cause = refused.getCause();
    return !(refused instanceof JsonMappingException)
            || refused instanceof MismatchedInputException
            || cause instanceof JacksonException
        ? null
        : cause;
  }

  @Override
  public void requireReadable(Class<?> payloadClass) {
    String problem = readability.get().problem(payloadClass);
    if (problem != null) {
      throw new PayloadException(unreadable(payloadClass, problem), null);
    }
  }

  private static String unreadable(Class<?> payloadClass, String problem) {
    return "Payload class %s cannot be read from JSON, %s"
        .formatted(payloadClass.getName(), problem);
  }

  /**
   * Returns Jackson's message about a class, without the value at its end: "... to deserialize from
   * String value ('...')".
   */
  private static String withoutValue(InvalidDefinitionException refused) {
    String message = refused.getOriginalMessage();
    int value = message.indexOf(" value (");
    return value < 0 ? message : message.substring(0, value) + " value";
  }

  /**
   * Returns a position like {@link #place}, with {@code *} for the keys of maps, which come from
   * the payload.
   */
  private String placeInClasses(JacksonException refused) {
    return place(
        refused,
        step -> {
          Object from = step.getFrom();
          Class<?> owner =
              from instanceof Class<?> type ? type : from == null ? null : from.getClass();
          return owner != null && readability.get().isProperty(owner, step.getFieldName())
              ? step.getFieldName().replace("~", "~0").replace("/", "~1")
              : "*";
        });
  }

  /** Detects whether a payload has fields that its classes do not have. Most payloads have none. */
  private static final class UnknownFields extends DeserializationProblemHandler {

    private boolean met;

    @Override
    public boolean handleUnknownProperty(
        DeserializationContext context,
        JsonParser parser,
        JsonDeserializer<?> deserializer,
        Object beanOrClass,
        String name) {
      met = true;
      return false;
    }
  }
}
