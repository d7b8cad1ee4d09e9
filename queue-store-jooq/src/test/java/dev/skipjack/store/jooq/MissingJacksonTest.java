package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests a queue without Jackson on the class path. */
class MissingJacksonTest {

  @Test
  void errorOfAQueueWithoutACodecNamesWhatToAdd() throws Exception {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("jackson-databind")) {
        classPath.add(Path.of(entry).toUri().toURL());
      }
    }
    assertThat(JobQueue.on(new PGSimpleDataSource())).isNotNull();
    try (URLClassLoader withoutJackson =
        new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Class<?> queue = withoutJackson.loadClass(JobQueue.class.getName());
      Method on = queue.getMethod("on", DataSource.class);
      DataSource dataSource =
          (DataSource)
              withoutJackson
                  .loadClass(PGSimpleDataSource.class.getName())
                  .getConstructor()
                  .newInstance();

      assertThatThrownBy(() -> on.invoke(null, dataSource))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Jackson is not on the class path")
          .hasMessageContaining("com.fasterxml.jackson.core:jackson-databind");
    }
  }
}
