package dev.skipjack.spring;

import dev.skipjack.api.WorkerId;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.worker.Worker;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;

/** The versions of the library and of the schema, and the identity of the worker. */
final class SkipjackInfoContributor implements InfoContributor {

  private final DataSource dataSource;
  private final String schema;
  private final ObjectProvider<SkipjackWorker> lifecycle;

  SkipjackInfoContributor(
      DataSource dataSource, String schema, ObjectProvider<SkipjackWorker> lifecycle) {
    this.dataSource = dataSource;
    this.schema = schema;
    this.lifecycle = lifecycle;
  }

  @Override
  public void contribute(Info.Builder info) {
    Map<String, Object> details = new LinkedHashMap<>();
    String version = SkipjackInfoContributor.class.getPackage().getImplementationVersion();
    if (version != null) {
      details.put("version", version);
    }
    details.put("schema", schema);
    schemaVersion().ifPresent(found -> details.put("schemaVersion", found));
    Optional.ofNullable(lifecycle.getIfAvailable())
        .flatMap(SkipjackWorker::worker)
        .map(Worker::id)
        .ifPresent(id -> details.put("worker", describe(id)));
    info.withDetail("skipjack", details);
  }

  /** Returns empty if the database is unavailable, so that the other contributors still report. */
  private OptionalInt schemaVersion() {
    try {
      return Migrations.version(dataSource, schema);
    } catch (IllegalStateException unavailable) {
      return OptionalInt.empty();
    }
  }

  private static Map<String, String> describe(WorkerId id) {
    Map<String, String> worker = new LinkedHashMap<>();
    worker.put("name", id.name());
    worker.put("bootId", id.bootId().toString());
    return worker;
  }
}
