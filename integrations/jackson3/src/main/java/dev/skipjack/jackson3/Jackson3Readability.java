package dev.skipjack.jackson3;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonIdentityInfo;
import com.fasterxml.jackson.annotation.JsonIdentityReference;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
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
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.CreatorProperty;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializer;
import tools.jackson.databind.deser.impl.MethodProperty;
import tools.jackson.databind.deser.jdk.CollectionDeserializer;
import tools.jackson.databind.deser.jdk.MapDeserializer;
import tools.jackson.databind.deser.jdk.ObjectArrayDeserializer;
import tools.jackson.databind.deser.std.ContainerDeserializerBase;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.ser.BeanPropertyWriter;
import tools.jackson.databind.ser.BeanSerializer;
import tools.jackson.databind.ser.PropertyWriter;
import tools.jackson.databind.ser.UnrolledBeanSerializer;
import tools.jackson.databind.ser.jdk.ObjectArraySerializer;

/**
 * Finds classes that Jackson 3 writes as JSON but can never read back, by the same rules as the
 * codec for Jackson 2. Jackson creates deserializers for abstract types and for classes without a
 * creator too, but such deserializers fail when they are called.
 *
 * <p>It walks the deserializers that Jackson created for a class. It follows only those of
 * Jackson's own deserializers that it understands, and only properties that the class writes.
 * Everything else, such as a deserializer of the application, is assumed to be readable, because
 * rejecting a valid class is worse than failing late for an invalid one.
 */
final class Jackson3Readability {

  /** The maximum number of deserializers to visit, which is more than any payload class needs. */
  private static final int MOST_DESERIALIZERS = 1_000;

  /** The maximum depth to visit; deeper properties are accepted without a check. */
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

  private final JsonMapper mapper;

  Jackson3Readability(JsonMapper mapper) {
    this.mapper = mapper;
  }

  /**
   * Returns why the class cannot be read and how to fix it, in sentences that begin with the
   * position of the problem. Returns null if no problem is known.
   */
  @Nullable String problem(Class<?> payloadClass) {
    try {
      DeserializationContext context = context();
      ValueDeserializer<?> root;
      try {
        root = context.findRootValueDeserializer(mapper.constructType(payloadClass));
      } catch (JacksonException refused) {
        // The message is about the class alone: there is no payload yet.
        return "at the top level: " + refused.getOriginalMessage();
      }
      if (mapper.deserializationConfig().getProblemHandlers() != null) {
        return null; // a problem handler may create an instance of any class
      }
      return new Walk(context).of(root, "", 0);
    } catch (RuntimeException | LinkageError unsure) {
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
          && bean.findProperty(PropertyName.construct(name)) != null;
    } catch (RuntimeException | LinkageError unsure) {
      return false;
    }
  }

  /**
   * Finds an object of the payload that has fields, but none for a component of its record, for
   * example because the components were renamed. Returns a description with the position of the
   * object, or null if there is no such object.
   *
   * <p>It does not report records with annotations that keep values out of the JSON, nor records
   * with {@link JsonAnySetter} or {@link JsonUnwrapped}, which can read fields that are not named
   * after a component.
   */
  @Nullable String foreignObject(String json, Class<?> payloadClass) {
    try {
      return foreignObject(
          mapper.readTree(json), mapper.constructType(payloadClass), "", context());
    } catch (RuntimeException | LinkageError unsure) {
      return null;
    }
  }

  private @Nullable String foreignObject(
      JsonNode node, JavaType type, String place, DeserializationContext context) {
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
      SettableBeanProperty property = bean.findProperty(PropertyName.construct(name));
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
    return mapper._deserializationContext();
  }

  /** One walk through the deserializers of a class. */
  private final class Walk {

    private final DeserializationContext context;
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    Walk(DeserializationContext context) {
      this.context = context;
    }

    @Nullable String of(@Nullable ValueDeserializer<?> deserializer, String place, int depth) {
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

    private @Nullable String ofAbstract(AbstractDeserializer deserializer, String place) {
      Class<?> type = deserializer.handledType();
      if (deserializer.getObjectIdReader(context) != null
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
        ContainerDeserializerBase<?> deserializer, String place, int depth) {
      JavaType content = deserializer.getContentType();
      return content == null || isTyped(content, context)
          ? null
          : of(deserializer.getContentDeserializer(), place + "/*", depth + 1);
    }

    private @Nullable String ofBean(BeanDeserializer deserializer, String place, int depth) {
      ValueSerializer<Object> serializer =
          mapper._serializationContext().findValueSerializer(deserializer.getValueType());
      if (deserializer.getObjectIdReader(context) != null
          || !isOfBean(serializer)
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

    private static Map<String, BeanPropertyWriter> written(ValueSerializer<Object> serializer) {
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
      return (kind == MethodProperty.class || kind == CreatorProperty.class)
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
     * Returns whether a serializer is one of Jackson's own. Null counts as one: Jackson then
     * chooses the serializer by the class of each value. For final classes and arrays, Jackson
     * chooses the serializer in advance.
     */
    private static boolean isStandard(@Nullable ValueSerializer<?> serializer) {
      return serializer == null
          || isOfBean(serializer)
          || serializer.getClass() == ObjectArraySerializer.class;
    }

    /**
     * Returns whether a serializer is one of the two with which Jackson writes the properties of a
     * class. Jackson uses {@link UnrolledBeanSerializer} for classes with few properties.
     */
    private static boolean isOfBean(ValueSerializer<?> serializer) {
      return serializer.getClass() == BeanSerializer.class
          || serializer.getClass() == UnrolledBeanSerializer.class;
    }

    private static boolean has(BeanProperty property, Class<? extends Annotation> annotation) {
      return property.getAnnotation(annotation) != null;
    }
  }

  private static boolean isTyped(JavaType type, DeserializationContext context) {
    return type.getTypeHandler() != null || context.findTypeDeserializer(type) != null;
  }

  private static String at(String place) {
    return place.isEmpty() ? "at the top level" : "at '" + place + "'";
  }
}
