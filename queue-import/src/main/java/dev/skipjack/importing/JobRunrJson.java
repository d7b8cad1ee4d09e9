package dev.skipjack.importing;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The document in which JobRunr stores a job or a recurring job. */
final class JobRunrJson {

  private static final JsonFactory FACTORY = new JsonFactory();
  private static final String CLASS = "@class";
  private static final int LONGEST_MESSAGE = 1000;
  private static final Pattern OF_JAVA =
      Pattern.compile("java[.](?:lang|math|time|util)[.][\\w.$]+");

  private final List<String> arguments = new ArrayList<>();
  private final List<String> labels = new ArrayList<>();
  private String signature = "";
  private String method = "";
  private int failures;
  private SourceRow.Failure lastFailure = new SourceRow.Failure("failed in JobRunr", null);
  private @Nullable Integer retries;
  private String expression = "";
  private String zone = "UTC";

  private JobRunrJson() {}

  static JobRunrJson of(String document) throws JsonText.Rejected {
    JobRunrJson job = new JobRunrJson();
    try (JsonParser json = FACTORY.createParser(document)) {
      json.nextToken();
      require(json, JsonToken.START_OBJECT);
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        job.read(name, json);
      }
      return job;
    } catch (IOException invalid) {
      throw new JsonText.Rejected("its document is not JSON");
    }
  }

  private void read(String name, JsonParser json) throws IOException, JsonText.Rejected {
    switch (name) {
      case "jobSignature" -> signature = json.getText();
      case "jobDetails" -> details(json);
      case "jobHistory" -> history(json);
      case "labels" -> labels(json);
      case "amountOfRetries" ->
          retries = json.currentToken() == JsonToken.VALUE_NUMBER_INT ? json.getIntValue() : null;
      case "scheduleExpression" -> expression = json.getText();
      case "zoneId" -> zone = json.getText();
      default -> json.skipChildren();
    }
  }

  private void details(JsonParser json) throws IOException, JsonText.Rejected {
    require(json, JsonToken.START_OBJECT);
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      if (name.equals("methodName")) {
        method = json.getText();
      } else if (name.equals("jobParameters")) {
        require(json, JsonToken.START_ARRAY);
        while (json.nextToken() == JsonToken.START_OBJECT) {
          arguments.add(argument(json));
        }
      } else {
        json.skipChildren();
      }
    }
  }

  private static String argument(JsonParser json) throws IOException, JsonText.Rejected {
    Object value = null;
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      boolean isValue = json.currentName().equals("object");
      json.nextToken();
      if (isValue) {
        value = plain(value(json));
      } else {
        json.skipChildren();
      }
    }
    return JobData.text(value);
  }

  private static void require(JsonParser json, JsonToken token) throws JsonText.Rejected {
    if (json.currentToken() != token) {
      throw new JsonText.Rejected("its document has another form");
    }
  }

  /**
   * Returns a value without the names of classes, which JobRunr's Jackson adds to objects and, as
   * in {@code ["java.util.ArrayList", [1, 2]]}, to other values.
   */
  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Map<?, ?> object) {
      Map<String, @Nullable Object> members = new LinkedHashMap<>();
      object.forEach((name, member) -> members.put(String.valueOf(name), plain(member)));
      members.remove(CLASS);
      return members;
    }
    if (!(value instanceof List<?> elements)) {
      return value;
    }
    boolean typed =
        elements.size() == 2
            && elements.get(0) instanceof String type
            && OF_JAVA.matcher(type).matches();
    if (!typed) {
      return elements(elements);
    }
    // The elements of a collection are not a pair of a class and a value.
    return elements.get(1) instanceof List<?> inner ? elements(inner) : plain(elements.get(1));
  }

  private static List<@Nullable Object> elements(List<?> elements) {
    List<@Nullable Object> plain = new ArrayList<>();
    elements.forEach(element -> plain.add(plain(element)));
    return plain;
  }

  private static @Nullable Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
          String name = json.currentName();
          json.nextToken();
          members.put(name, value(json));
        }
        yield members;
      }
      case START_ARRAY -> {
        List<@Nullable Object> elements = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
          elements.add(value(json));
        }
        yield elements;
      }
      case VALUE_NUMBER_INT -> json.getBigIntegerValue();
      case VALUE_NUMBER_FLOAT -> json.getDecimalValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> json.getText();
    };
  }

  private void history(JsonParser json) throws IOException, JsonText.Rejected {
    require(json, JsonToken.START_ARRAY);
    while (json.nextToken() == JsonToken.START_OBJECT) {
      Map<String, String> state = new HashMap<>();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        if (json.nextToken() == JsonToken.VALUE_STRING) {
          state.put(name, json.getText());
        }
        json.skipChildren();
      }
      if (state.getOrDefault(CLASS, "").endsWith(".FailedState")) {
        failures++;
        lastFailure =
            new SourceRow.Failure(
                readable(state.getOrDefault("exceptionMessage", state.getOrDefault("message", ""))),
                state.containsKey("exceptionType") ? readable(state.get("exceptionType")) : null);
      }
    }
  }

  /** Returns a text without NUL characters, cut off at the maximum length. */
  private static String readable(@Nullable String text) {
    String storable = String.valueOf(text).replace('\0', ' ');
    return storable.length() <= LONGEST_MESSAGE ? storable : storable.substring(0, LONGEST_MESSAGE);
  }

  private void labels(JsonParser json) throws IOException, JsonText.Rejected {
    if (json.currentToken() == JsonToken.VALUE_NULL) {
      return;
    }
    require(json, JsonToken.START_ARRAY);
    while (json.nextToken() != JsonToken.END_ARRAY) {
      labels.add(json.getText());
    }
  }

  /** Returns the class and method of the job; empty if the document has none. */
  String signature() {
    return signature;
  }

  /** Returns the request of a job with a handler, or the array of a method's arguments. */
  String payload() {
    return method.equals("run") && arguments.size() == 1
        ? arguments.get(0)
        : "[" + String.join(",", arguments) + "]";
  }

  /** Returns the last failure, for a job in the state FAILED. */
  SourceRow.Failure lastFailure() {
    return lastFailure;
  }

  int failures() {
    return failures;
  }

  /** Returns the number of attempts, or null if the job sets none. */
  @Nullable Integer maxAttempts() {
    return retries == null ? null : retries + 1;
  }

  List<String> labels() {
    return labels;
  }

  /** Returns the cron expression or the interval of a recurring job. */
  String expression() {
    return expression;
  }

  String zone() {
    return zone;
  }
}
