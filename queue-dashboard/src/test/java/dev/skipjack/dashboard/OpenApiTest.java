package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the JSON interface returns what its description says. */
@QueueTest
class OpenApiTest {

  private final JsonMapper json = new JsonMapper();

  @Test
  void everyDocumentHasTheDescribedForm(QueueDatabase database) throws Exception {
    try (Fixture fixture = new Fixture(database)) {
      fixture.fillWith("text");
      Browser browser = fixture.browser(Fixture.ADMIN);
      JsonNode api = json.readTree(browser.page(OpenApi.PATH));
      List<String> paths = new ArrayList<>();
      api.get("paths").fieldNames().forEachRemaining(paths::add);

      assertThat(paths)
          .containsExactlyInAnyOrderElementsOf(
              Routes.all().stream()
                  .map(Route::path)
                  .filter(path -> path.startsWith(Visit.API) && !path.equals(OpenApi.PATH))
                  .toList());
      for (String path : paths) {
        Response response = browser.get(path.replace("{id}", "1") + "?name=emails");
        if (response.status() == 200) {
          JsonNode schema =
              api.at(
                  "/paths/"
                      + path.replace("/", "~1")
                      + "/get/responses/200/content/application~1json/schema");
          check(path, json.readTree(response.body()), schema, api);
        }
      }
    }
  }

  private static void check(String path, JsonNode value, JsonNode schema, JsonNode api) {
    if (value.isNull() || schema.isEmpty()) {
      return;
    }
    if (schema.has("$ref")) {
      check(path, value, api.at(schema.get("$ref").textValue().substring(1)), api);
      return;
    }
    String type = schema.path("type").textValue();
    assertThat(typeOf(value))
        .as("%s %s", path, schema)
        .isIn(type, "number".equals(type) ? "integer" : type);
    if (value.isArray()) {
      value.forEach(one -> check(path + "[]", one, schema.get("items"), api));
    }
    if (value.isObject() && schema.has("properties")) {
      value
          .properties()
          .forEach(
              field -> {
                assertThat(schema.get("properties").has(field.getKey()))
                    .as(path + "." + field.getKey())
                    .isTrue();
                check(
                    path + "." + field.getKey(),
                    field.getValue(),
                    schema.get("properties").get(field.getKey()),
                    api);
              });
    }
  }

  private static String typeOf(JsonNode value) {
    return switch (value.getNodeType()) {
      case ARRAY -> "array";
      case BOOLEAN -> "boolean";
      case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
      case OBJECT -> "object";
      default -> "string";
    };
  }
}
