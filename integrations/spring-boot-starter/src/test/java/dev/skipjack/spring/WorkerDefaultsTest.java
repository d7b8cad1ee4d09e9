package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.worker.WorkerConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class WorkerDefaultsTest {

  @Test
  void withoutPropertiesTheWorkerHasItsOwnDefaults() {
    SkipjackProperties properties =
        new Binder(new MapConfigurationPropertySource(Map.of()))
            .bindOrCreate("skipjack", SkipjackProperties.class);

    assertThat(properties.worker().config()).isEqualTo(WorkerConfig.defaults());
  }
}
