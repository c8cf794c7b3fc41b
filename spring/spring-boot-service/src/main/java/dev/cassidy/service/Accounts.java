package dev.cassidy.service;

import org.springframework.data.cassandra.repository.CassandraRepository;

interface Accounts extends CassandraRepository<Account, Integer> {}
