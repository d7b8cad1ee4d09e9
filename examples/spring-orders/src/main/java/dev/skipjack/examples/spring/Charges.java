package dev.skipjack.examples.spring;

import java.util.UUID;
import org.springframework.data.jpa.repository.JpaRepository;

/** The table of charges. */
interface Charges extends JpaRepository<Charge, UUID> {}
