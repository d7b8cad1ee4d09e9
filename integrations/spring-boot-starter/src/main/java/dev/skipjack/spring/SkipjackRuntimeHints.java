package dev.skipjack.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;

/** Adds the hints for what the queue itself reads or calls by name in a native image. */
final class SkipjackRuntimeHints implements RuntimeHintsRegistrar {

  @Override
  public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints.resources().registerPattern("db/skipjack/*.sql");
    hints.resources().registerPattern("dev/skipjack/migrations/*.sql");
    hints.resources().registerPattern("dev/skipjack/dashboard/*");
    hints
        .reflection()
        .registerType(
            TypeReference.of("dev.skipjack.handlers.NoPayload"),
            MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
    registerRecords(hints, loader);
    registerVirtualThreads(hints);
    registerDriver(hints, loader);
  }

  /** Registers the constructors with which jOOQ creates records. */
  private static void registerRecords(RuntimeHints hints, @Nullable ClassLoader loader) {
    PathMatchingResourcePatternResolver files = new PathMatchingResourcePatternResolver(loader);
    MetadataReaderFactory classes = new SimpleMetadataReaderFactory(loader);
    try {
      for (Resource file :
          files.getResources("classpath*:dev/skipjack/model/tables/records/*Record.class")) {
        hints
            .reflection()
            .registerType(
                TypeReference.of(classes.getMetadataReader(file).getClassMetadata().getClassName()),
                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** The worker and the queue call these methods by name, because they do not exist in Java 17. */
  private static void registerVirtualThreads(RuntimeHints hints) {
    hints
        .reflection()
        .registerType(
            Thread.class,
            thread ->
                thread
                    .withMethod("ofVirtual", List.of(), ExecutableMode.INVOKE)
                    .withMethod("isVirtual", List.of(), ExecutableMode.INVOKE))
        .registerType(
            TypeReference.of("java.lang.Thread$Builder"), MemberCategory.INVOKE_PUBLIC_METHODS);
  }

  /** The queue sets a field of the driver, so that it receives notifications without a wait. */
  private static void registerDriver(RuntimeHints hints, @Nullable ClassLoader loader) {
    hints
        .reflection()
        .registerTypeIfPresent(
            loader, "org.postgresql.core.QueryExecutorBase", type -> type.withField("pgStream"))
        .registerTypeIfPresent(
            loader,
            "org.postgresql.core.PGStream",
            type -> type.withField("nextStreamAvailableCheckTime"));
  }
}
