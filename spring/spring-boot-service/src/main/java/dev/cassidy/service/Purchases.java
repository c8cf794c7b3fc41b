package dev.cassidy.service;

import org.springframework.data.cassandra.repository.CassandraRepository;

interface Purchases extends CassandraRepository<Purchase, Long> {}
