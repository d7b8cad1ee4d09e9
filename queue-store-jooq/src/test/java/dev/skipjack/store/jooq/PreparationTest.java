package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests when a queue loads its slow classes. Each test loads all classes again. */
class PreparationTest {

  private static final List<String> SLOW =
      List.of(
          "org.jooq.impl.DSL",
          "dev.skipjack.store.jooq.internal.JobInsert",
          "com.fasterxml.jackson.databind.json.JsonMapper");

  private static final List<String> ONLY_FOR_WORKERS =
      List.of(
          "dev.skipjack.store.jooq.JooqJobStore",
          "dev.skipjack.store.jooq.internal.schedule.JooqScheduleStore",
          "dev.skipjack.store.jooq.internal.history.JooqMaintenance");

  /** Builds queues by reflection, because the test's loader has its own classes. */
  public static final class Queues {

    private static final List<Runnable> KEPT = new ArrayList<>();

    private Queues() {}

    public static void build() {
      try (HikariDataSource never = new HikariDataSource()) {
        JobQueue unused = JobQueue.on(never);
      }
    }

    public static void buildAndPrepareLater() {
      try (HikariDataSource never = new HikariDataSource()) {
        JobQueue unused = JobQueue.builder(never).prepareIn(KEPT::add).build();
      }
    }

    public static void prepare() {
      KEPT.forEach(Runnable::run);
    }

    public static void useAsWorker() {
      try (HikariDataSource never = new HikariDataSource()) {
        JobQueue queue = JobQueue.on(never);
        Object[] unused = {queue.store(), queue.scheduleStore(), queue.maintenance()};
      }
    }
  }

  private static final class OwnClasses extends URLClassLoader {

    OwnClasses() {
      super(
          Stream.of(
                  System.getProperty("java.class.path").split(System.getProperty("path.separator")))
              .map(OwnClasses::url)
              .toArray(URL[]::new),
          ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
      try {
        return Path.of(entry).toUri().toURL();
      } catch (MalformedURLException impossible) {
        throw new LinkageError(entry, impossible);
      }
    }

    List<String> loaded(List<String> names) {
      return names.stream().filter(name -> findLoadedClass(name) != null).toList();
    }

    void call(String method) throws ReflectiveOperationException {
      Thread thread = Thread.currentThread();
      ClassLoader previous = thread.getContextClassLoader();
      thread.setContextClassLoader(this);
      try {
        loadClass(Queues.class.getName()).getMethod(method).invoke(null);
      } catch (InvocationTargetException failure) {
        throw new AssertionError(failure.getCause());
      } finally {
        thread.setContextClassLoader(previous);
      }
    }
  }

  @Test
  void aQueueIsPreparedWhenItIsBuilt() throws IOException, ReflectiveOperationException {
    try (OwnClasses classes = new OwnClasses()) {
      classes.call("build");

      assertThat(classes.loaded(SLOW)).isEqualTo(SLOW);
    }
  }

  @Test
  void anotherThreadCanPrepareTheQueue() throws IOException, ReflectiveOperationException {
    try (OwnClasses classes = new OwnClasses()) {
      classes.call("buildAndPrepareLater");
      assertThat(classes.loaded(SLOW)).isEmpty();

      classes.call("prepare");

      assertThat(classes.loaded(SLOW)).isEqualTo(SLOW);
    }
  }

  @Test
  void aQueueThatOnlyEnqueuesLoadsNothingOfAWorker()
      throws IOException, ReflectiveOperationException {
    try (OwnClasses classes = new OwnClasses()) {
      classes.call("build");
      assertThat(classes.loaded(ONLY_FOR_WORKERS)).isEmpty();

      classes.call("useAsWorker");

      assertThat(classes.loaded(ONLY_FOR_WORKERS)).isEqualTo(ONLY_FOR_WORKERS);
    }
  }
}
