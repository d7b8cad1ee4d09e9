package dev.skipjack.store.jooq.internal.payload;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIdentityReference;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.deser.AbstractDeserializer;
import com.fasterxml.jackson.databind.deser.BeanDeserializer;
import com.fasterxml.jackson.databind.deser.CreatorProperty;
import com.fasterxml.jackson.databind.deser.DefaultDeserializationContext;
import com.fasterxml.jackson.databind.deser.SettableBeanProperty;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.deser.impl.FieldProperty;
import com.fasterxml.jackson.databind.deser.impl.MethodProperty;
import com.fasterxml.jackson.databind.deser.std.CollectionDeserializer;
import com.fasterxml.jackson.databind.deser.std.ContainerDeserializerBase;
import com.fasterxml.jackson.databind.deser.std.MapDeserializer;
import com.fasterxml.jackson.databind.deser.std.ObjectArrayDeserializer;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.ser.BeanPropertyWriter;
import com.fasterxml.jackson.databind.ser.BeanSerializer;
import com.fasterxml.jackson.databind.ser.PropertyWriter;
import com.fasterxml.jackson.databind.ser.std.ObjectArraySerializer;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds classes that Jackson writes as JSON but can never read back. {@code canDeserialize} does
 * not detect them, because such a class has a deserializer that fails only when it is called.
 *
 * <p>It visits the deserializers that Jackson created for the properties that a class writes. Any
 * other deserializer, such as one of the application, is assumed to work, because rejecting a valid
 * class is worse than detecting an invalid class late.
 */
final class JacksonReadability {

  /** The maximum number of deserializers to visit. */
  private static final int MOST_DESERIALIZERS = 1_000;

  /** The maximum depth to visit. Deeper properties are not checked. */
  private static final int DEEPEST = 20;

  /** The annotations that change how a property is written or read. */
  private static final List<Class<? extends Annotation>> CHANGING =
      List.of(
          JsonSerialize.class,
          JsonDeserialize.class,
          JsonTypeInfo.class,
          JsonFormat.class,
          JsonIdentityInfo.class,
          JsonIdentityReference.class);

  private final ObjectMapper mapper;

  JacksonReadability(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * Returns why the class cannot be read and how to fix it, in sentences that begin with the
   * position of the problem. Returns null if no problem is known.
   */
  @Nullable String problem(Class<?> payloadClass) {
    try {
      DeserializationContext context = context();
      JsonDeserializer<?> root;
      try {
        root = context.findRootValueDeserializer(mapper.constructType(payloadClass));
      } catch (JsonMappingException refused) {
        // The message is about the class alone: there is no payload yet.
        return "at the top level: " + refused.getOriginalMessage();
      }
      if (mapper.getDeserializationConfig().getProblemHandlers() != null) {
        return null; // a handler may create an instance of any class
      }
      return new Walk(context).of(root, "", 0);
    } catch (Throwable unsure) {
      return null;
    }
  }

  /**
   * Returns whether a class has a property with this name; otherwise the name is the key of a map.
   */
  boolean isProperty(Class<?> owner, String name) {
    try {
      return context().findNonContextualValueDeserializer(mapper.constructType(owner))
              instanceof BeanDeserializer bean
          && bean.findProperty(name) != null;
    } catch (Throwable unsure) {
      return false;
    }
  }

  /**
   * Returns a message about an object in the payload that has fields, but none of the components of
   * its record, for example because the components were renamed. Returns null if there is no such
   * object.
   *
   * <p>Does not check records that leave out values or accept other fields.
   */
  @Nullable String foreignObject(String json, Class<?> payloadClass) {
    try {
      return foreignObject(
          mapper.readTree(json), mapper.constructType(payloadClass), "", context());
    } catch (RuntimeException | LinkageError | JsonProcessingException unsure) {
      return null;
    }
  }

  private @Nullable String foreignObject(
      JsonNode node, JavaType type, String place, DeserializationContext context)
      throws JsonMappingException {
    if (node.isArray() && type.getContentType() != null) {
      for (int i = 0; i < node.size(); i++) {
        String foreign =
            foreignObject(node.get(i), type.getContentType(), place + "/" + i, context);
        if (foreign != null) {
          return foreign;
        }
      }
      return null;
    }
    if (!(node instanceof ObjectNode object) || isTyped(type, context)) {
      return null;
    }
    if (type.getContentType() != null) {
      for (JsonNode value : object) {
        String foreign = foreignObject(value, type.getContentType(), place + "/*", context);
        if (foreign != null) {
          return foreign;
        }
      }
      return null;
    }
    if (!(context.findNonContextualValueDeserializer(type) instanceof BeanDeserializer bean)) {
      return null;
    }
    boolean known = object.isEmpty() || bean.getPropertyCount() == 0;
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = field.getKey();
      SettableBeanProperty property = bean.findProperty(name);
      if (property != null) {
        known = true;
        String foreign =
            foreignObject(
                field.getValue(),
                property.getType(),
                place + "/" + name.replace("~", "~0").replace("/", "~1"),
                context);
        if (foreign != null) {
          return foreign;
        }
      }
    }
    Class<?> owner = type.getRawClass();
    return known
            || !owner.isRecord()
            || leavesOutValues(owner)
            || isAnnotated(owner, List.of(JsonAnySetter.class, JsonUnwrapped.class))
        ? null
        : "at %s: the object has none of the components of %s"
            .formatted(place.isEmpty() ? "the top level" : "'" + place + "'", owner.getName());
  }

  /** Returns whether annotations keep values of the class out of its JSON. */
  static boolean leavesOutValues(Class<?> owner) {
    return isAnnotated(owner, List.of(JsonInclude.class, JsonIgnore.class));
  }

  private static boolean isAnnotated(Class<?> owner, List<Class<? extends Annotation>> with) {
    return Stream.<AnnotatedElement>concat(
            Stream.of(owner),
            Stream.concat(
                Arrays.stream(owner.getDeclaredMethods()),
                Arrays.stream(owner.getDeclaredFields())))
        .anyMatch(element -> with.stream().anyMatch(element::isAnnotationPresent));
  }

  private DeserializationContext context() {
    return ((DefaultDeserializationContext) mapper.getDeserializationContext())
        .createDummyInstance(mapper.getDeserializationConfig());
  }

  /** One walk through the deserializers of a class. */
  private final class Walk {

    private final DeserializationContext context;
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    Walk(DeserializationContext context) {
      this.context = context;
    }

    @Nullable String of(@Nullable JsonDeserializer<?> deserializer, String place, int depth)
        throws JsonMappingException {
      if (deserializer == null
          || depth > DEEPEST
          || seen.size() >= MOST_DESERIALIZERS
          || !seen.add(deserializer)) {
        return null;
      }
      if (deserializer.getClass() == AbstractDeserializer.class) {
        return ofAbstract((AbstractDeserializer) deserializer, place);
      }
      if (deserializer.getClass() == BeanDeserializer.class) {
        return ofBean((BeanDeserializer) deserializer, place, depth);
      }
      if (deserializer.getClass() == CollectionDeserializer.class
          || deserializer.getClass() == ObjectArrayDeserializer.class
          || deserializer.getClass() == MapDeserializer.class) {
        return ofContainer((ContainerDeserializerBase<?>) deserializer, place, depth);
      }
      return null;
    }

    private @Nullable String ofAbstract(AbstractDeserializer deserializer, String place)
        throws JsonMappingException {
      Class<?> type = deserializer.handledType();
      if (deserializer.getObjectIdReader() != null
          || isTyped(mapper.constructType(type), context)) {
        return null;
      }
      return "%s: %s is %s, and nothing specifies the class to create. %s"
          .formatted(
              at(place),
              type.getName(),
              type.isInterface() ? "an interface" : "abstract",
              "Use a concrete class or a record, or add @JsonTypeInfo and @JsonSubTypes.");
    }

    private @Nullable String ofContainer(
        ContainerDeserializerBase<?> deserializer, String place, int depth)
        throws JsonMappingException {
      JavaType content = deserializer.getContentType();
      return content == null || isTyped(content, context)
          ? null
          : of(deserializer.getContentDeserializer(), place + "/*", depth + 1);
    }

    private @Nullable String ofBean(BeanDeserializer deserializer, String place, int depth)
        throws JsonMappingException {
      JsonSerializer<Object> serializer =
          mapper.getSerializerProviderInstance().findValueSerializer(deserializer.getValueType());
      if (deserializer.getObjectIdReader() != null
          || serializer.getClass() != BeanSerializer.class
          || serializer.usesObjectId()) {
        return null;
      }
      ValueInstantiator instantiator = deserializer.getValueInstantiator();
      if (instantiator.canCreateUsingDelegate() || instantiator.canCreateUsingArrayDelegate()) {
        return null; // its properties are read by the delegate
      }
      if (!instantiator.canCreateUsingDefault() && !instantiator.canCreateFromObjectWith()) {
        return "%s: %s has no constructor that can be called. %s"
            .formatted(
                at(place),
                deserializer.handledType().getName(),
                "Use a record, add a constructor without parameters, or annotate one with"
                    + " @JsonCreator and its parameters with @JsonProperty; a Kotlin class needs"
                    + " jackson-module-kotlin on the class path.");
      }
      Map<String, BeanPropertyWriter> written = written(serializer);
      Iterator<SettableBeanProperty> properties = deserializer.properties();
      while (properties.hasNext()) {
        SettableBeanProperty property = properties.next();
        BeanPropertyWriter writer = written.get(property.getName());
        if (writer != null && isPlain(property, writer)) {
          String step = property.getName().replace("~", "~0").replace("/", "~1");
          String problem = of(property.getValueDeserializer(), place + "/" + step, depth + 1);
          if (problem != null) {
            return problem;
          }
        }
      }
      return null;
    }

    private static Map<String, BeanPropertyWriter> written(JsonSerializer<Object> serializer) {
      Map<String, BeanPropertyWriter> written = new HashMap<>();
      Iterator<PropertyWriter> writers = serializer.properties();
      while (writers.hasNext()) {
        if (writers.next() instanceof BeanPropertyWriter writer) {
          written.put(writer.getName(), writer);
        }
      }
      return written;
    }

    /** Returns whether no annotation customizes how the property is written or read. */
    private boolean isPlain(SettableBeanProperty property, BeanPropertyWriter writer) {
      Class<?> kind = property.getClass();
      return (kind == FieldProperty.class
              || kind == MethodProperty.class
              || kind == CreatorProperty.class)
          && property.hasValueDeserializer()
          && property.getValueTypeDeserializer() == null
          && property.getInjectableValueId() == null
          && property.getObjectIdInfo() == null
          && !property.isIgnorable()
          && isStandard(writer.getSerializer())
          && writer.getTypeSerializer() == null
          && CHANGING.stream().noneMatch(each -> has(property, each) || has(writer, each));
    }

    /**
     * Returns whether a property has one of Jackson's own serializers, or none because its
     * serializer depends on the value.
     */
    private static boolean isStandard(@Nullable JsonSerializer<?> serializer) {
      return serializer == null
          || serializer.getClass() == BeanSerializer.class
          || serializer.getClass() == ObjectArraySerializer.class;
    }

    private static boolean has(BeanProperty property, Class<? extends Annotation> annotation) {
      return property.getAnnotation(annotation) != null;
    }
  }

  private static boolean isTyped(JavaType type, DeserializationContext context)
      throws JsonMappingException {
    return type.getTypeHandler() != null
        || context.getFactory().findTypeDeserializer(context.getConfig(), type) != null;
  }

  private static String at(String place) {
    return place.isEmpty() ? "at the top level" : "at '" + place + "'";
  }
}
