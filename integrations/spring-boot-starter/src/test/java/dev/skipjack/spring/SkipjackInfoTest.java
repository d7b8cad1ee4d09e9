package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.support.StaticApplicationContext;

@QueueTest
class SkipjackInfoTest {

  private final ApplicationContextRunner disabled;
  private final ApplicationContextRunner enabled;

  SkipjackInfoTest(QueueDatabase database) {
    disabled = Contexts.on(database);
    enabled = disabled.withPropertyValues("management.info.skipjack.enabled=true");
  }

  @SuppressWarnings("unchecked") // the contributor's own map
  private static Map<String, Object> info(ApplicationContext context) {
    Info.Builder builder = new Info.Builder();
    context.getBean(InfoContributor.class).contribute(builder);
    return (Map<String, Object>)
        Objects.requireNonNull(builder.build().getDetails().get("skipjack"));
  }

  @Test
  void describesTheSchemaAndTheWorker() {
    enabled
        .withBean(Mails.class)
        .withPropertyValues("skipjack.worker.name=mailer")
        .run(
            context -> {
              Worker worker = context.getBean(SkipjackWorker.class).worker().orElseThrow();
              assertThat(info(context))
                  .containsEntry("schema", "skipjack")
                  .containsEntry("schemaVersion", context.getBean(JobQueue.class).schemaVersion())
                  .containsEntry(
                      "worker",
                      Map.of("name", "mailer", "bootId", worker.id().bootId().toString()));
            });
  }

  @Test
  void infoLeavesOutTheWorkerOfAProducer() {
    enabled
        .withPropertyValues("skipjack.worker.enabled=false")
        .run(context -> assertThat(info(context)).containsOnlyKeys("schema", "schemaVersion"));
  }

  @Test
  void infoLeavesOutTheVersionOfASchemaThatCannotBeRead() {
    Info.Builder builder = new Info.Builder();
    new SkipjackInfoContributor(
            Unreachable.dataSource(),
            "skipjack",
            new StaticApplicationContext().getBeanProvider(SkipjackWorker.class))
        .contribute(builder);
    assertThat(builder.build().getDetails())
        .containsEntry("skipjack", Map.of("schema", "skipjack"));
  }

  @Test
  void infoIsDisabledByDefault() {
    disabled.run(context -> assertThat(context).doesNotHaveBean(InfoContributor.class));
  }

  @Test
  void infoNeedsTheActuator() {
    enabled
        .withClassLoader(new FilteredClassLoader("org.springframework.boot.actuate"))
        .run(
            context ->
                assertThat(context).hasNotFailed().doesNotHaveBean("skipjackInfoContributor"));
  }
}
