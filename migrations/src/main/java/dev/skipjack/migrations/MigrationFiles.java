package dev.skipjack.migrations;

import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;

/**
 * The files of the migrations, as a fixed list for Flyway. Without the list, Flyway would search
 * the class path, which fails in a native image.
 */
final class MigrationFiles implements ResourceProvider {

  /** The names of all files, in the order of their versions. */
  static final List<String> NAMES =
      List.of(
          "V001__create_jobs.sql",
          "V002__create_job_executions.sql",
          "V003__create_jobs_archive.sql",
          "V004__create_queue_settings.sql",
          "V005__create_partitions.sql",
          "V006__create_sql_functions.sql",
          "V007__create_outbox.sql",
          "V008__create_steps.sql",
          "V009__create_schema_version_function.sql");

  /** The folder of the files on the class path. */
  static final String FOLDER = "db/skipjack";

  @Override
  public @Nullable LoadableResource getResource(String name) {
    return NAMES.contains(name) ? new MigrationFile(name) : null;
  }

  @Override
  public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
    return NAMES.stream()
        .filter(name -> name.startsWith(prefix) && Arrays.stream(suffixes).anyMatch(name::endsWith))
        .<LoadableResource>map(MigrationFile::new)
        .toList();
  }

  /** Opens a file, which the caller closes. */
  static InputStream open(String name) {
    InputStream file =
        MigrationFiles.class.getClassLoader().getResourceAsStream(FOLDER + "/" + name);
    if (file == null) {
      throw new IllegalStateException("The jar of skipjack-migrations lacks %s.".formatted(name));
    }
    return file;
  }

  /** One file. Flyway stores its relative path in the history. */
  private static final class MigrationFile extends LoadableResource {

    private final String name;

    MigrationFile(String name) {
      this.name = name;
    }

    @Override
    public Reader read() {
      return new InputStreamReader(open(name), StandardCharsets.UTF_8);
    }

    @Override
    public String getAbsolutePath() {
      return FOLDER + "/" + name;
    }

    @Override
    public String getAbsolutePathOnDisk() {
      return getAbsolutePath();
    }

    @Override
    public String getFilename() {
      return name;
    }

    @Override
    public String getRelativePath() {
      return name;
    }
  }
}
