package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Parameter;
import java.net.URL;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;

/** Tests the metadata that Spring Boot's annotation processor writes during the build. */
class ConfigurationMetadataTest {

  private static final String FILE = "META-INF/spring-configuration-metadata.json";

  /** Reads the files of all jars, because Spring Boot's jars have files of the same name. */
  private static Map<String, JsonNode> documented() throws IOException {
    Map<String, JsonNode> properties = new LinkedHashMap<>();
    ObjectMapper json = new ObjectMapper();
    for (URL file :
        Collections.list(SkipjackProperties.class.getClassLoader().getResources(FILE))) {
      try (InputStream metadata = file.openStream()) {
        json.readTree(metadata)
            .path("properties")
            .forEach(property -> properties.put(property.path("name").asText(), property));
      }
    }
    properties.keySet().removeIf(name -> !name.contains("skipjack"));
    return properties;
  }

  /** Collects the names of properties, and whether they have a default. */
  private static void collect(String prefix, Class<?> type, Map<String, Boolean> properties) {
    for (Parameter component : type.getDeclaredConstructors()[0].getParameters()) {
      String name = prefix + "." + DataObjectPropertyName.toDashedForm(component.getName());
      if (component.getType().isRecord()) {
        collect(name, component.getType(), properties);
      } else {
        DefaultValue value = component.getAnnotation(DefaultValue.class);
        properties.put(name, value != null && value.value().length > 0);
      }
    }
  }

  @Test
  void everyPropertyHasADescriptionAndItsDefault() throws IOException {
    Map<String, JsonNode> documented = documented();
    Map<String, Boolean> properties = new LinkedHashMap<>();
    collect("skipjack", SkipjackProperties.class, properties);
    collect("skipjack.outbox", SkipjackOutboxProperties.class, properties);
    assertThat(properties).hasSizeGreaterThan(5);
    properties.forEach(
        (name, hasDefault) -> {
          JsonNode property = Objects.requireNonNull(documented.get(name), name);
          assertThat(property.path("description").asText()).as(name).isNotBlank();
          assertThat(property.has("defaultValue")).as(name).isEqualTo(hasDefault);
        });
    assertThat(documented)
        .containsKeys(
            "management.health.skipjack.enabled",
            "management.info.skipjack.enabled",
            "skipjack.queues.*.concurrency");
  }

  @Test
  void everyDescriptionIsPlainText() throws IOException {
    documented()
        .forEach(
            (name, property) ->
                assertThat(property.path("description").asText())
                    .as(name)
                    .matches("[A-Z].*\\.")
                    .doesNotContain("{@", "<"));
  }

  /** With this file, Spring Boot can skip configurations without reading their classes. */
  @Test
  void theConditionsAreKnownWithoutReadingTheClasses() throws IOException {
    Properties conditions = new Properties();
    for (URL file :
        Collections.list(
            SkipjackProperties.class
                .getClassLoader()
                .getResources("META-INF/spring-autoconfigure-metadata.properties"))) {
      try (InputStream metadata = file.openStream()) {
        conditions.load(metadata);
      }
    }
    assertThat(conditions)
        .containsEntry(
            "dev.skipjack.spring.SkipjackOutboxAutoConfiguration.ConditionalOnClass",
            "dev.skipjack.outbox.Outbox");
  }

  @Test
  void theJarContainsTheLicense() {
    assertThat(SkipjackProperties.class.getResource("/META-INF/LICENSE")).isNotNull();
  }
}
