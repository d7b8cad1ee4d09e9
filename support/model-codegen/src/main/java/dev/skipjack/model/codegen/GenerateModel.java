package dev.skipjack.model.codegen;

import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import java.nio.file.Path;
import org.postgresql.ds.PGSimpleDataSource;

/** Generates queue-model's sources from the migrations. */
public final class GenerateModel {

  private static final String DATABASE = "postgres";

  private GenerateModel() {}

  /**
   * Writes the sources into the folder given as the only argument.
   *
   * @throws Exception if the server does not start, a migration fails or the folder cannot be
   *     written
   */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      throw new IllegalArgumentException("Usage: GenerateModel TARGET-FOLDER");
    }
    into(Path.of(args[0]));
  }

  static void into(Path target) throws Exception {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("codegen").setting("fsync", "off").fresh(true).start()) {
      PGSimpleDataSource dataSource = new PGSimpleDataSource();
      dataSource.setUrl(server.jdbcUrl(DATABASE));
      Migrations.migrate(dataSource);
      ModelGenerator.generate(server.jdbcUrl(DATABASE), Migrations.DEFAULT_SCHEMA, target);
    }
  }
}
