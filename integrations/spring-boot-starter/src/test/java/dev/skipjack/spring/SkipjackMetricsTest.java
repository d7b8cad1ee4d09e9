package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.distribution.pause.PauseDetector;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

@QueueTest
class SkipjackMetricsTest {

  /** Records which timers have a histogram of percentiles. This registry does not keep it. */
  private static final class Histograms extends SimpleMeterRegistry {
    private final Map<String, Boolean> percentiles = new ConcurrentHashMap<>();

    @Override
    protected Timer newTimer(
        Meter.Id id, DistributionStatisticConfig config, PauseDetector pauses) {
      percentiles.put(id.getName(), Boolean.TRUE.equals(config.isPercentileHistogram()));
      return super.newTimer(id, config, pauses);
    }
  }

  @Test
  void springBootsPropertiesGiveTheTimersHistograms(QueueDatabase database) {
    Contexts.on(database)
        .withConfiguration(Contexts.micrometer())
        .withBean(Mails.class)
        .withBean(MeterRegistry.class, Histograms::new)
        .withPropertyValues(
            "management.metrics.distribution.percentiles-histogram.skipjack.jobs.run=true",
            "management.metrics.distribution.slo.skipjack.jobs.wait=1s,1m")
        .run(
            context -> {
              Histograms registry = context.getBean(Histograms.class);
              context.getBean(Jobs.class).enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
              await()
                  .atMost(Duration.ofSeconds(60))
                  .until(() -> registry.percentiles.containsKey("skipjack.jobs.run"));
              assertThat(registry.percentiles)
                  .containsEntry("skipjack.jobs.run", true)
                  .containsEntry("skipjack.jobs.wait", false);
              Timer wait = registry.get("skipjack.jobs.wait").timer();
              assertThat(wait.takeSnapshot().histogramCounts())
                  .extracting(bucket -> Duration.ofNanos((long) bucket.bucket()))
                  .containsExactly(Duration.ofSeconds(1), Duration.ofMinutes(1));
            });
  }
}
