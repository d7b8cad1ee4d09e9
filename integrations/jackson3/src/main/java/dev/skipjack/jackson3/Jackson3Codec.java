package dev.skipjack.jackson3;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.AnnotationIntrospector;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.introspect.AnnotatedMember;
import tools.jackson.databind.introspect.AnnotatedParameter;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts payloads with Jackson 3, to and from the same JSON as the queue's default codec for
 * Jackson 2. Each codec can therefore read the payloads of the other, and an application can change
 * from one to the other while jobs are waiting.
 *
 * <pre>{@code
 * JobQueue queue = JobQueue.builder(dataSource).codec(new Jackson3Codec()).build();
 * }</pre>
 *
 * <p>It uses its own mapper, without default typing, and the Jackson modules on the class path. A
 * payload therefore cannot name a class to load, unless the payload class allows that with
 * {@code @JsonTypeInfo}. The mapper ignores unknown fields, so that a newer producer does not break
 * an older worker. It rejects a primitive without a value, and an object that has fields, but none
 * of its record's components.
 *
 * <p>Safe for any number of threads.
 */
public final class Jackson3Codec implements PayloadCodec {

  /** The longest number in a payload that a queue accepts, with digits, point and sign. */
  private static final int LONGEST_NUMBER = 309 + 1_000 + 2;

  private static final int DEEPEST_PAYLOAD = 100;
  private static final int DEEPEST_PLACE = 10;

  /** Null until it is needed, because creating a mapper takes longer than the start of a queue. */
  private volatile @Nullable Parts parts;

  private record Parts(JsonMapper mapper, Jackson3Readability readability) {

    static Parts create() {
      JsonMapper mapper =
          JsonMapper.builder(
                  JsonFactory.builderWithJackson2Defaults()
                      // Every payload that the queue has accepted must be readable. The enqueue
                      // limits its size.
                      .streamReadConstraints(
                          StreamReadConstraints.builder()
                              .maxNestingDepth(DEEPEST_PAYLOAD + 1)
                              .maxNumberLength(LONGEST_NUMBER)
                              .maxNameLength(Integer.MAX_VALUE)
                              .build())
                      .build())
              .configureForJackson2()
              .annotationIntrospector(
                  AnnotationIntrospector.pair(
                      new RequiredPrimitives(), new JacksonAnnotationIntrospector()))
              .findAndAddModules()
              .disable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
              .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
              .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
              .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
              .build();
      return new Parts(mapper, new Jackson3Readability(mapper));
    }
  }

  /**
   * Requires the primitives of creators. Jackson 3.2 and later otherwise read an absent one as
   * zero, although they reject a null.
   */
  private static final class RequiredPrimitives extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1L;

    @Override
    public @Nullable Boolean hasRequiredMarker(MapperConfig<?> config, AnnotatedMember member) {
      boolean isRequired =
          member instanceof AnnotatedParameter
              && member.getRawType().isPrimitive()
              && !Jackson3Readability.leavesOutValues(member.getDeclaringClass());
      return isRequired ? Boolean.TRUE : null;
    }
  }

  /** Creates a codec that uses the Jackson modules on the class path. */
  public Jackson3Codec() {}

  @Override
  public void prepare() {
    Parts unused = parts();
  }

  private Parts parts() {
    Parts created = parts;
    if (created == null) {
      synchronized (this) {
        created = parts;
        if (created == null) {
          created = Parts.create();
          parts = created;
        }
      }
    }
    return created;
  }

  @Override
  public String encode(Object payload) {
    try {
      return parts().mapper().writeValueAsString(payload);
    } catch (JacksonException refused) {
      throw new PayloadException(
          "%s cannot be written as JSON, at %s: %s. Store another type there, for example a record or an id, or set a PayloadCodec that can write it."
              .formatted(
                  payload.getClass().getName(),
                  place(refused, Reference::getPropertyName),
                  refused.getOriginalMessage()),
          refused);
    }
  }

  /** Returns the mapper's position as a JSON pointer, shortened if it is long. */
  private static String place(JacksonException refused, Function<Reference, String> named) {
    if (!(refused instanceof DatabindException mapping) || mapping.getPath().isEmpty()) {
      return "the top level";
    }
    return mapping.getPath().stream()
        .limit(DEEPEST_PLACE)
        .map(step -> step.getPropertyName() == null ? "" + step.getIndex() : named.apply(step))
        .collect(
            Collectors.joining(
                "/", "'/", mapping.getPath().size() > DEEPEST_PLACE ? "/...'" : "'"));
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    return decode(json, payloadClass, parts().mapper().reader());
  }

  private <T> T decode(String json, Class<T> payloadClass, ObjectReader reader) {
    try {
      UnknownFields unknown = new UnknownFields();
      T payload = reader.forType(payloadClass).withHandler(unknown).readValue(json);
      String foreign = unknown.met ? parts().readability().foreignObject(json, payloadClass) : null;
      if (foreign != null) {
        throw new PayloadException(
            "Payload does not fit %s, %s".formatted(payloadClass.getName(), foreign), null);
      }
      return payload;
    } catch (InvalidDefinitionException refused) {
      String problem = parts().readability().problem(payloadClass);
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
        && (refused.getOriginalMessage().startsWith("Cannot map `null`")
            || refused.getOriginalMessage().startsWith("Missing required creator property"));
  }

  /** Returns whether the class with the missing primitive leaves out values when it is written. */
  private static boolean mayLackPrimitives(JacksonException refused) {
    if (!(refused instanceof DatabindException mapping) || mapping.getPath().isEmpty()) {
      return false;
    }
    Object owner = mapping.getPath().get(mapping.getPath().size() - 1).from();
    return owner instanceof Class<?> type && Jackson3Readability.leavesOutValues(type);
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
   * Returns the exception that a constructor or a deserializer of the application threw. Jackson's
   * own exceptions, and the causes of its exceptions for values that do not fit, are omitted,
   * because they quote the payload, and logs and the audit show causes.
   */
  private static @Nullable Throwable causeOf(JacksonException refused) {
    Throwable cause = refused.getCause();
    return !(refused instanceof DatabindException)
            || refused instanceof MismatchedInputException
            || cause instanceof JacksonException
        ? null
        : cause;
  }

  @Override
  public void requireReadable(Class<?> payloadClass) {
    String problem = parts().readability().problem(payloadClass);
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
   * String value ('...')". Jackson adds the value if the class has no creator for a string or a
   * number.
   */
  private static String withoutValue(InvalidDefinitionException refused) {
    String message = refused.getOriginalMessage();
    int value = message.indexOf(" value (");
    return value < 0 ? message : message.substring(0, value) + " value";
  }

  /**
   * Returns a position like {@link #place}, with {@code *} for the parts that come from the
   * payload, which are the keys of maps.
   */
  private String placeInClasses(JacksonException refused) {
    return place(
        refused,
        step -> {
          Object from = step.from();
          Class<?> owner =
              from instanceof Class<?> type ? type : from == null ? null : from.getClass();
          return owner != null && parts().readability().isProperty(owner, step.getPropertyName())
              ? step.getPropertyName().replace("~", "~0").replace("/", "~1")
              : "*";
        });
  }

  /** Records whether a payload has fields that its classes do not have. */
  private static final class UnknownFields extends DeserializationProblemHandler {

    private boolean met;

    @Override
    public boolean handleUnknownProperty(
        DeserializationContext context,
        JsonParser parser,
        ValueDeserializer<?> deserializer,
        Object beanOrClass,
        String name) {
      met = true;
      return false;
    }
  }
}
