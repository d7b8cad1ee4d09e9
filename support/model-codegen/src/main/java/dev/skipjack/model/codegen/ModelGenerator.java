package dev.skipjack.model.codegen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.codegen.GenerationTool;
import org.jooq.meta.jaxb.Configuration;
import org.jooq.meta.jaxb.Database;
import org.jooq.meta.jaxb.ForcedType;
import org.jooq.meta.jaxb.Generate;
import org.jooq.meta.jaxb.Generator;
import org.jooq.meta.jaxb.Jdbc;
import org.jooq.meta.jaxb.LambdaConverter;
import org.jooq.meta.jaxb.Logging;
import org.jooq.meta.jaxb.Target;

/** Writes jOOQ's classes for a migrated schema. */
final class ModelGenerator {

  private static final String PACKAGE = "dev.skipjack.model";

  /**
   * Partitions are created and dropped over time, so they are not part of the model; neither is
   * Flyway's table.
   */
  private static final String EXCLUDES =
      "skipjack_schema_history | job_executions_\\d+ | jobs_archive_\\d+ | outbox_published_\\d+";

  private ModelGenerator() {}

  /**
   * Generates the sources in {@code target}, which is emptied first, because jOOQ does not
   * regenerate sources of the same schema version even if its configuration has changed.
   *
   * @param jdbcUrl address of the database, including user and password
   * @param schema name of the migrated schema; also the model's default
   */
  static void generate(String jdbcUrl, String schema, Path target) throws Exception {
    empty(target);
    GenerationTool.generate(
        new Configuration()
            .withLogging(Logging.WARN)
            .withJdbc(new Jdbc().withDriver("org.postgresql.Driver").withUrl(jdbcUrl))
            .withGenerator(
                new Generator()
                    .withDatabase(
                        new Database()
                            .withName("org.jooq.meta.postgres.PostgresDatabase")
                            .withInputSchema(schema)
                            .withExcludes(EXCLUDES)
                            .withIncludeSystemSequences(true)
                            // Columns have their domain's base type: binds need no cast, and the
                            // server checks the domain.
                            .withIncludeDomains(false)
                            .withSchemaVersionProvider(
                                "select max(version) from \""
                                    + schema
                                    + "\".skipjack_schema_history")
                            .withForcedTypes(forcedTypes()))
                    .withGenerate(
                        new Generate()
                            .withGeneratedAnnotation(true)
                            .withGeneratedAnnotationDate(false)
                            .withGeneratedAnnotationJooqVersion(false)
                            .withRecords(true)
                            .withPojos(false)
                            .withDaos(false)
                            .withJavaTimeTypes(true))
                    .withTarget(
                        new Target()
                            .withPackageName(PACKAGE)
                            .withDirectory(target.toString())
                            .withEncoding("UTF-8")
                            .withClean(true))));
  }

  private static void empty(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> content = Files.walk(folder)) {
        for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static List<ForcedType> forcedTypes() {
    return List.of(
        new ForcedType().withName("INSTANT").withIncludeTypes("(?i:timestamp.*zone|timestamptz)"),
        status(
            "dev.skipjack.api.JobStatus",
            "jobs\\.status|jobs_archive\\.status|job_operations\\.status"),
        status("dev.skipjack.api.ExecutionStatus", "job_executions\\.status"),
        status("dev.skipjack.api.spi.UniqueUntil", "jobs\\.unique_until"),
        status(
            "dev.skipjack.api.OrderingPolicy",
            "jobs\\.ordering_policy|job_queues\\.ordering_policy"));
  }

  private static ForcedType status(String enumClass, String columns) {
    return new ForcedType()
        .withUserType(enumClass)
        .withLambdaConverter(
            new LambdaConverter().withFrom(enumClass + "::of").withTo(enumClass + "::literal"))
        .withIncludeExpression(".*\\.(" + columns + ")");
  }
}
