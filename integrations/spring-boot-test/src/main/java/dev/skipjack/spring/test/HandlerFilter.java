package dev.skipjack.spring.test;

import dev.skipjack.handlers.JobHandler;
import java.io.IOException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/**
 * Keeps in the component scan only the given classes or, if none are given, those with handlers.
 */
final class HandlerFilter extends TypeExcludeFilter {

  private final Set<Class<?>> included;

  /**
   * @param included the classes that are not excluded; empty for all that have a handler
   */
  HandlerFilter(Set<Class<?>> included) {
    this.included = included;
  }

  @Override
  public boolean match(MetadataReader found, MetadataReaderFactory readers) throws IOException {
    if (included.isEmpty()) {
      return !hasHandler(found, readers);
    }
    String name = found.getClassMetadata().getClassName();
    return included.stream().noneMatch(each -> each.getName().equals(name));
  }

  private static boolean hasHandler(MetadataReader found, MetadataReaderFactory readers)
      throws IOException {
    if (found.getAnnotationMetadata().hasAnnotatedMethods(JobHandler.class.getName())) {
      return true;
    }
    String parent = found.getClassMetadata().getSuperClassName();
    return parent != null
        && !parent.startsWith("java.")
        && hasHandler(readers.getMetadataReader(parent), readers);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HandlerFilter filter && filter.included.equals(included);
  }

  @Override
  public int hashCode() {
    return Objects.hash(included);
  }
}
