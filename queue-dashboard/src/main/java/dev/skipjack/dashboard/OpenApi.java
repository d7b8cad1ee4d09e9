package dev.skipjack.dashboard;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Describes the JSON interface as an OpenAPI document, from the models of the pages. It follows the
 * same rules as {@link Json}.
 */
final class OpenApi {

  static final String PATH = Visit.API + "v1/openapi.json";

  private static final Map<String, String> PARAMETERS =
      new TreeMap<>(
          Map.of(
              "/jobs",
              "q, after",
              MinutesScreen.PATH,
              "name, last",
              "/queue",
              "name",
              GroupsScreen.PATH,
              "name",
              "/queues",
              "after",
              "/schedules",
              "after"));

  private final Map<String, Object> schemas = new TreeMap<>();

  private OpenApi() {}

  /**
   * Returns the document.
   *
   * @param screens the pages that have a model as JSON, by path
   */
  static String of(Map<String, Screen<?>> screens) {
    return Json.of(new OpenApi().document(screens));
  }

  private Map<String, Object> document(Map<String, Screen<?>> screens) {
    Map<String, Object> paths = new LinkedHashMap<>();
    screens.forEach((path, screen) -> paths.put(Route.jsonPath(path), operation(path, screen)));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put("info", Map.of("title", "Skipjack dashboard", "version", "1"));
    document.put("paths", paths);
    document.put("components", Map.of("schemas", schemas));
    return document;
  }

  private Map<String, Object> operation(String path, Screen<?> screen) {
    Map<String, Object> get = new LinkedHashMap<>();
    get.put("summary", screen.nav().label());
    get.put("parameters", parameters(path));
    get.put(
        "responses",
        Map.of(
            "200",
            Map.of(
                "description",
                "What the page shows",
                "content",
                Map.of("application/json", Map.of("schema", schema(modelOf(screen)))))));
    return Map.of("get", get);
  }

  private static List<Map<String, Object>> parameters(String path) {
    Stream<Map<String, Object>> inQuery =
        Stream.of(PARAMETERS.getOrDefault(path, "").split(", ", -1))
            .filter(name -> !name.isEmpty())
            .map(name -> Map.of("name", name, "in", "query", "schema", Map.of("type", "string")));
    Stream<Map<String, Object>> inPath =
        path.contains("{id}")
            ? Stream.of(
                Map.of(
                    "name",
                    "id",
                    "in",
                    "path",
                    "required",
                    true,
                    "schema",
                    Map.of("type", "integer", "format", "int64")))
            : Stream.empty();
    return Stream.concat(inPath, inQuery).toList();
  }

  private static Class<?> modelOf(Screen<?> screen) {
    return Stream.of(screen.getClass().getDeclaredMethods())
        .filter(method -> method.getName().equals("read") && !method.isBridge())
        .map(Method::getReturnType)
        .findFirst()
        .orElseThrow();
  }

  private Object schema(Type type) {
    if (type instanceof ParameterizedType parameterized) {
      return parameterized(parameterized);
    }
    if (!(type instanceof Class<?> plain)) {
      return Map.of();
    }
    if (plain.isRecord()) {
      return structure(plain);
    }
    if (plain.isEnum()) {
      return Map.of(
          "type",
          "string",
          "enum",
          Stream.of(plain.getEnumConstants())
              .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT))
              .toList());
    }
    return scalar(plain);
  }

  private static Object scalar(Class<?> type) {
    if (type == boolean.class || type == Boolean.class) {
      return Map.of("type", "boolean");
    }
    if (type == int.class || type == Integer.class || type == OptionalInt.class) {
      return Map.of("type", "integer");
    }
    if (type == long.class || type == Long.class) {
      return Map.of("type", "integer", "format", "int64");
    }
    if (type == Duration.class) {
      return Map.of("type", "number", "description", "seconds");
    }
    return type == Instant.class
        ? Map.of("type", "string", "format", "date-time")
        : Map.of("type", "string");
  }

  private Object parameterized(ParameterizedType type) {
    Class<?> raw = (Class<?>) type.getRawType();
    Type[] arguments = type.getActualTypeArguments();
    if (raw == Panel.class) {
      Map<String, Object> parts = new LinkedHashMap<>();
      parts.put("value", schema(arguments[0]));
      parts.put("asOf", schema(Instant.class));
      parts.put("problem", schema(String.class));
      return Map.of("type", "object", "properties", parts);
    }
    if (raw == Optional.class) {
      return schema(arguments[0]);
    }
    return Collection.class.isAssignableFrom(raw)
        ? Map.of("type", "array", "items", schema(arguments[0]))
        : Map.of("type", "object", "additionalProperties", schema(arguments[1]));
  }

  private Object structure(Class<?> type) {
    RecordComponent[] components = type.getRecordComponents();
    if (type == Json.Raw.class) {
      return Map.of();
    }
    if (components.length == 1 && components[0].getType() == long.class) {
      return Map.of("type", "string");
    }
    String name = name(type);
    if (!schemas.containsKey(name)) {
      Map<String, Object> properties = new LinkedHashMap<>();
      schemas.put(name, Map.of("type", "object", "properties", properties));
      for (RecordComponent component : components) {
        properties.put(component.getName(), schema(component.getGenericType()));
      }
    }
    return Map.of("$ref", "#/components/schemas/" + name);
  }

  /** Returns the name of a schema: that of a model without the word Screen, such as JobsModel. */
  private static String name(Class<?> type) {
    Class<?> outer = type.getEnclosingClass();
    return outer == null
        ? type.getSimpleName()
        : outer.getSimpleName().replace("Screen", "") + type.getSimpleName();
  }
}
