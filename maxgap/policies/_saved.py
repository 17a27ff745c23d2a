def save_policy(policy, path): raise NotImplementedError
def read_policy(path, classes): raise NotImplementedError
