package dev.skipjack.spring;

import java.util.Map;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Checks the names of queues in properties. */
final class QueueNames {

  private static final String PREFIX = "skipjack.queues";

  /** The only setting of a queue. */
  private static final String SETTING = "concurrency";

  private QueueNames() {}

  /**
   * Rejects any setting of a queue other than {@code concurrency}. Usually, such a setting is a
   * part of a queue's name that contains a dot and is not in brackets. Spring Boot would ignore it.
   *
   * @throws IllegalArgumentException if there is such a setting
   */
  static void requireBrackets(Environment environment) {
    Binder.get(environment)
        .bind(PREFIX, Bindable.mapOf(String.class, Object.class))
        .orElse(Map.of())
        .forEach(QueueNames::check);
  }

  private static void check(String queue, Object settings) {
    if (settings instanceof Map<?, ?> given) {
      given.forEach(
          (setting, value) -> {
            if (!setting.equals(SETTING)) {
              String name = nameFrom(queue + "." + setting, value);
              throw new IllegalArgumentException(
                  "Property '%s.%s' is unknown. If '%s' is the name of a queue, put it in brackets: %s[%s].%s."
                      .formatted(PREFIX, name, name, PREFIX, name, SETTING));
            }
          });
    }
  }

  private static String nameFrom(String name, Object value) {
    if (value instanceof Map<?, ?> deeper && !deeper.containsKey(SETTING) && !deeper.isEmpty()) {
      Map.Entry<?, ?> next = deeper.entrySet().iterator().next();
      return nameFrom(name + "." + next.getKey(), next.getValue());
    }
    return name;
  }
}
